/**
 * The validator of plain JSON Schema. The only module that imports one: it is loaded when a value of a plain schema needs it, so that a
 * server without any does not pay for it.
 */
import { Compile, Check as check, Errors } from 'typebox/schema'
import type { Meter } from './foreign.ts'
import { toIssues } from './issues.ts'
import { namesInherited, withoutPrototypes } from './own.ts'
import type { Issue, JsonObject } from './standard.ts'

/** Says what is wrong with a value; `undefined` when it fits. */
export type Check = (value: unknown) => Issue[] | undefined

/** How many references a check of a foreign schema may follow: by generated code, by interpretation, and to find out what is wrong. */
const STEPS = { generated: 500_000, interpreted: 50_000, explain: 10_000 } as const

/** So many values are checked by interpretation before code is generated, which takes as long as many checks: a short life needs none. */
const INTERPRETED = 3

/** Tells whether values fit a schema. */
interface Fitting {
  readonly fits: (value: unknown) => boolean
  /** How many references a foreign schema may follow in this way. */
  readonly steps: number
}

/**
 * Compiles a schema; `meter` counts the steps of a foreign one. One that is used again and again gets generated code, where the platform
 * allows that and the schema is not too large for it. A foreign one gets it for its first value: what a check may take must not change
 * from call to call.
 */
export function createCheck(schema: JsonObject, meter?: Meter): Check {
  let fitting = interpret(schema)
  let left = meter ? 0 : INTERPRETED
  const own = namesInherited(schema) ? withoutPrototypes : (value: unknown) => value
  return (given) => {
    if (left >= 0 && left-- === 0) fitting = generate(schema)
    const value = own(given)
    meter?.start(fitting.steps)
    const fits = attempt(() => fitting.fits(value))
    if (fits === true) return undefined
    if (fits === undefined)
      return [{ path: [], message: 'takes too much work to be checked: nested too deeply, or too many references' }]
    meter?.start(STEPS.explain)
    return attempt(() => toIssues(Errors(schema, value)[1], value)) ?? [{ path: [], message: 'does not fit the schema' }]
  }
}

function interpret(schema: JsonObject): Fitting {
  return { fits: (value) => check(schema, value), steps: STEPS.interpreted }
}

function generate(schema: JsonObject): Fitting {
  const compiled = attempt(() => Compile(schema))
  if (!compiled) return interpret(schema)
  const steps = compiled.IsAccelerated() ? STEPS.generated : STEPS.interpreted
  return { fits: (value) => compiled.Check(value), steps }
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
