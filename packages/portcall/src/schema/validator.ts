/**
 * The validator of plain JSON Schema. This is the only module that imports the validation library, and it is loaded when a value is
 * validated for the first time, so that servers without plain JSON Schema do not pay for it.
 */
import { Compile, Check as check, Errors } from 'typebox/schema'
import { Settings } from 'typebox/system'
import type { JsonObject } from '../jsonrpc/message.ts'
import { toIssues } from './issues.ts'
import { mentionsInheritedNames, toNullPrototype } from './null-prototype.ts'
import type { ValidatorError } from './select-errors.ts'
import type { Issue, ParseResult } from './standard.ts'
import type { StepBudget } from './untrusted.ts'
import type { PartValidator } from './untrusted-names.ts'

/** Validates a value. */
export type Validator = (value: unknown) => ParseResult<unknown>

/** How many references of an untrusted schema one validation may follow: in generated code, interpreted, and to collect the issues. */
const MAX_STEPS = { generated: 500_000, interpreted: 50_000, issues: 10_000 } as const

/** The number of values that are validated by interpretation first. Generating code takes as long as many validations. */
const INTERPRETED_VALUES = 3

interface Matcher {
  readonly matches: (value: unknown) => boolean
  /** How many references of an untrusted schema one call may follow. */
  readonly maxSteps: number
}

/**
 * Creates a validator. After a few values it generates code for the schema, if the platform allows it and the schema is not too large.
 *
 * `budget` counts the steps of an untrusted schema. Such a schema gets generated code from its first value on, because the steps that a
 * validation may take must not change from call to call.
 */
export function createValidator(schema: JsonObject, budget?: StepBudget): Validator {
  let matcher = interpret(schema)
  let interpretedLeft = budget ? 0 : INTERPRETED_VALUES
  const needsNullPrototype = mentionsInheritedNames(schema)
  return (input) => {
    if (interpretedLeft >= 0 && interpretedLeft-- === 0) matcher = generate(schema)
    const value = needsNullPrototype ? toNullPrototype(input) : input
    budget?.start(matcher.maxSteps)
    try {
      if (matcher.matches(value)) return { value: input }
    } catch (error) {
      if (!isExhaustion(error)) throw error
      return {
        issues: [
          {
            path: [],
            message:
              'takes too many steps to validate: it is nested too deeply or follows too many references. Send less, or simplify the schema, where alternatives refer to alternatives',
          },
        ],
      }
    }
    return { issues: collectIssues(schema, value, budget) }
  }
}

function collectIssues(schema: JsonObject, value: unknown, budget: StepBudget | undefined): Issue[] {
  budget?.start(MAX_STEPS.issues)
  try {
    return toIssues(errorsOf({}, schema, value), value)
  } catch (error) {
    if (!isExhaustion(error)) throw error
    return [{ path: [], message: 'does not match the schema' }]
  }
}

/** The number of errors that the validation library collects. Alternatives have many, of which few are reported. */
const MAX_ERRORS = 1000

/** Returns the errors of a value. The limit of the library is a setting of the process, so that it is changed only meanwhile. */
function errorsOf(context: SchemasByUri, schema: JsonObject, value: unknown): ValidatorError[] {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: MAX_ERRORS })
  try {
    return Errors(context, schema, value)[1]
  } finally {
    Settings.Set({ maxErrors })
  }
}

/** The URI of a schema without an id, for validators of its parts. */
const ROOT = 'urn:portcall:schema'

/** Creates the validator of a member of `$defs`. References in it are those of the whole schema. */
export function createPartValidator(root: JsonObject, definition: string): PartValidator {
  const uri = typeof root.$id === 'string' ? root.$id : ROOT
  const context = { [uri]: root }
  const schema = { $ref: `${uri}#/$defs/${definition}` }
  return { matches: generate(schema, context).matches, errorsOf: (value) => errorsOf(context, schema, value) }
}

/** Schemas that references may lead to, by their URIs. */
type SchemasByUri = Record<string, JsonObject>

function interpret(schema: JsonObject, context: SchemasByUri = {}): Matcher {
  return { matches: (value) => check(context, schema, value), maxSteps: MAX_STEPS.interpreted }
}

function generate(schema: JsonObject, context: SchemasByUri = {}): Matcher {
  try {
    const compiled = Compile(context, schema)
    const maxSteps = compiled.IsAccelerated() ? MAX_STEPS.generated : MAX_STEPS.interpreted
    return { matches: (value) => compiled.Check(value), maxSteps }
  } catch (error) {
    if (!isExhaustion(error)) throw error
    return interpret(schema, context)
  }
}

/** Reports whether the stack or the step budget is exhausted. */
function isExhaustion(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'StepLimitError')
}
