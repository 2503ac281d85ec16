import type { JsonObject } from '../jsonrpc/message.ts'
import { checkDocument, dropRefSiblings } from './dialect.ts'
import { copyWithinLimits, MAX_ISSUES } from './limits.ts'
import { passesQuickCheck } from './quick-check.ts'
import {
  type CompiledSchema,
  type Infer,
  type Issue,
  isStandardSchema,
  type ParseResult,
  type Schema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './standard.ts'
import { type SchemaRole, toJsonSchema } from './to-json-schema.ts'
import type { Validator } from './validator.ts'

/** Options of `compileSchema`. */
export interface CompileOptions {
  /**
   * Set it to `false` for a schema from a peer. Validation then takes linear time: patterns that RE2 does not support are
   * not checked, and `unevaluatedProperties` is not checked if the schema has `patternProperties`. `parse` rejects with SchemaError if the
   * schema has more than 1000 references and patterns of property names. Default: `true`.
   */
  trusted?: boolean
}

/**
 * Prepares a schema for use. Call it once per definition.
 *
 * A Standard Schema is validated by its own library, with transforms and defaults. A value of a plain JSON Schema is validated, formats
 * included, and returned unchanged; TypeBox types keep their refinements. The validator is loaded and the schema compiled when the first
 * values need it, so that definitions that are not used cost nothing.
 *
 * @throws SchemaError if the schema is too deep or too large, has an unknown dialect, or has a reference to another document. The message
 * states what to change.
 */
export function compileSchema<const S extends Schema>(
  schema: S,
  use: SchemaRole,
  options: CompileOptions = {},
): CompiledSchema<Infer<S>> {
  const { trusted = true } = options
  const source = toJsonSchema(schema, use)
  const json = copyWithinLimits(source)
  const dialect = checkDocument(json, { patterns: trusted })
  const isTypeBox = '~kind' in source
  const compiled: { readonly json: JsonObject; parse: Parser } = {
    json,
    parse: isStandardSchema(schema) ? standardParser(schema) : jsonSchemaParser(load, trusted && !isTypeBox ? json : undefined),
  }
  return compiled as CompiledSchema<Infer<S>>

  /** Loads the validator, which parses from then on. */
  async function load(): Promise<Validator> {
    const copy = copyWithinLimits(json)
    if (dialect === 'draft-07') dropRefSiblings(copy)
    const { createPartValidator, createValidator } = await import('./validator.ts')
    if (trusted) return (compiled.parse = createValidator(isTypeBox ? source : copy))
    const { limitSchema } = await import('./untrusted.ts')
    return (compiled.parse = createValidator(copy, limitSchema(copy, createPartValidator)))
  }
}

type Parser = (value: unknown) => ParseResult<unknown> | Promise<ParseResult<unknown>>

function standardParser(schema: StandardSchema): Parser {
  return (value) => {
    const result = schema['~standard'].validate(value)
    return result instanceof Promise ? result.then(toParseResult) : toParseResult(result)
  }
}

function toParseResult(result: StandardResult<unknown>): ParseResult<unknown> {
  return result.issues ? { issues: Array.from(result.issues, toIssue).slice(0, MAX_ISSUES) } : { value: result.value }
}

function toIssue({ path = [], message }: StandardIssue): Issue {
  const steps = Array.from(path, (step) => (typeof step === 'object' ? step.key : step))
  return { path: steps.map((step) => (typeof step === 'symbol' ? String(step) : step)), message }
}

/** The number of values that are tried without a validator first. A process that exits soon never has to load one. */
const QUICK_CHECKS = 3

/** Creates a parser that loads its validator on demand. `simple` is the schema for quick checks, if it can be used for them. */
function jsonSchemaParser(load: () => Promise<Validator>, simple: JsonObject | undefined): Parser {
  let validate: Validator | undefined
  let loading: Promise<Validator> | undefined
  let seen = 0
  return (value) => {
    if (validate) return validate(value)
    if (simple && seen++ < QUICK_CHECKS && passesQuickCheck(simple, value)) return { value }
    loading ??= load().then((loaded) => (validate = loaded))
    return loading.then((loaded) => loaded(value))
  }
}
