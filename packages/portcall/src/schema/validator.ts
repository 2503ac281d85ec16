/**
 * The validator of plain JSON Schema. The only module that imports one: it is loaded when the first plain schema is used, so that a server
 * without any does not pay for it.
 */
import { Compile, Check as check, Errors } from 'typebox/schema'
import type { Meter } from './foreign.ts'
import { toIssues } from './issues.ts'
import { namesInherited, withoutPrototypes } from './own.ts'
import type { Issue, JsonObject } from './standard.ts'

/** Says what is wrong with a value; `undefined` when it fits. */
export type Check = (value: unknown) => Issue[] | undefined

/** How many references a check of a foreign schema may follow: by generated code, by interpretation, and to find out what is wrong. */
const STEPS = { compiled: 500_000, interpreted: 50_000, explain: 10_000 } as const

/**
 * Compiles a schema; `meter` counts the steps of a foreign one. Generates code where the platform allows that and the schema is not too
 * large for it, and interprets the schema elsewhere.
 */
export function createCheck(schema: JsonObject, meter?: Meter): Check {
  const compiled = attempt(() => Compile(schema))
  const fitsNow = compiled ? (value: unknown) => compiled.Check(value) : (value: unknown) => check(schema, value)
  const steps = compiled?.IsAccelerated() ? STEPS.compiled : STEPS.interpreted
  const own = namesInherited(schema) ? withoutPrototypes : (value: unknown) => value
  return (given) => {
    const value = own(given)
    meter?.start(steps)
    const fits = attempt(() => fitsNow(value))
    if (fits === true) return undefined
    if (fits === undefined)
      return [{ path: [], message: 'takes too much work to be checked: nested too deeply, or too many references' }]
    meter?.start(STEPS.explain)
    return attempt(() => toIssues(Errors(schema, value)[1], value)) ?? [{ path: [], message: 'does not fit the schema' }]
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
