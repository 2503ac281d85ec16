/**
 * The validator of plain JSON Schema. The only module that imports one: it is loaded when the first plain schema is used, so that a server
 * without any does not pay for it.
 */
import { Compile } from 'typebox/schema'
import type { Meter } from './foreign.ts'
import { toIssues } from './issues.ts'
import type { Issue, JsonObject } from './standard.ts'

/** Says what is wrong with a value; `undefined` when it fits. */
export type Check = (value: unknown) => Issue[] | undefined

/** How many references a check of a foreign schema may follow to find whether a value fits, and to find why not. */
const STEPS = { check: 500_000, explain: 10_000 } as const

/**
 * Compiles a schema; `meter` counts the steps of a foreign one. Uses generated code where the platform allows it, and interprets the schema
 * elsewhere.
 */
export function createCheck(schema: JsonObject, meter?: Meter): Check {
  const validator = Compile(schema)
  return (value) => {
    meter?.start(STEPS.check)
    const fits = attempt(() => validator.Check(value))
    if (fits === true) return undefined
    if (fits === undefined) return [{ path: [], message: 'takes too much work to be checked: nested too deeply, or too many references' }]
    meter?.start(STEPS.explain)
    return attempt(() => toIssues(validator.Errors(value)[1], value)) ?? [{ path: [], message: 'does not fit the schema' }]
  }
}

/** `undefined` when the stack or the steps have run out. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && error.name === 'OutOfSteps')) return undefined
    throw error
  }
}
