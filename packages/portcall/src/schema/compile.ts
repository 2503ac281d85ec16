import { boundedCopy } from './bounds.ts'
import { checkDocument, voidSiblings } from './dialect.ts'
import { fitsPlainly } from './plain.ts'
import {
  type CompiledSchema,
  type Infer,
  isStandardSchema,
  type JsonObject,
  type Parsed,
  type Schema,
  type StandardResult,
  type StandardSchema,
} from './standard.ts'
import { fromStandardIssues } from './standard-issues.ts'
import { toJsonSchema } from './to-json.ts'
import type { Check } from './validator.ts'

/** How a schema is compiled. */
export interface CompileOptions {
  /**
   * `false`: the schema comes from a peer, so its patterns and references cannot cost more than linear time; what cannot be had in
   * linear time stays unchecked (see `foreign.ts`), and with more than 1000 references `parse` rejects with
   * SchemaError. Default `true`: it is the author's own.
   */
  trusted?: boolean
}

/**
 * Makes a schema ready for use; call it once per definition. Standard Schemas are checked by their own library, transforms and defaults
 * included; plain JSON Schema is checked as it stands (formats too), and values pass unchanged. Its validator is loaded and the schema
 * compiled when values come that need it, so that a thousand definitions cost nothing to start; TypeBox types keep their refinements.
 *
 * @throws SchemaError that says what to change: too deep or large, of an unknown dialect, with a reference that leads out of it.
 */
export function compileSchema<const S extends Schema>(
  schema: S,
  use: 'input' | 'output',
  options: CompileOptions = {},
): CompiledSchema<Infer<S>> {
  const { trusted = true } = options
  const source = toJsonSchema(schema, use)
  const json = boundedCopy(source)
  const dialect = checkDocument(json, { patterns: trusted })
  const isPlain = trusted && !('~kind' in source)
  const parse = isStandardSchema(schema) ? standardParser(schema) : plainParser(load, isPlain ? json : false)
  return { json, parse: parse as CompiledSchema<Infer<S>>['parse'] }

  async function load(): Promise<Check> {
    const copy = boundedCopy(json)
    if (dialect === 'draft-07') voidSiblings(copy)
    const { createCheck } = await import('./validator.ts')
    if (trusted) return createCheck('~kind' in source ? source : copy)
    const { tame } = await import('./foreign.ts')
    return createCheck(copy, tame(copy))
  }
}

type Parser = (value: unknown) => Parsed<unknown> | Promise<Parsed<unknown>>

function standardParser(schema: StandardSchema): Parser {
  return (value) => {
    const result = schema['~standard'].validate(value)
    return result instanceof Promise ? result.then(toParsed) : toParsed(result)
  }
}

function toParsed(result: StandardResult<unknown>): Parsed<unknown> {
  return result.issues ? { issues: fromStandardIssues(result.issues) } : { value: result.value }
}

/** So many values of a plain schema may be looked at without a validator, before one is loaded: a short life needs none. */
const BEFORE_LOADING = 3

/** `plain` is the schema where values may be looked at without a validator. */
function plainParser(load: () => Promise<Check>, plain: JsonObject | false): Parser {
  let check: Check | undefined
  let ready: Promise<Check> | undefined
  let seen = 0
  return (value) => {
    if (check) return checked(check, value)
    if (seen++ < BEFORE_LOADING && fitsPlainly(plain, value)) return { value }
    ready ??= load().then((loaded) => (check = loaded))
    return ready.then((loaded) => checked(loaded, value))
  }
}

function checked(check: Check, value: unknown): Parsed<unknown> {
  const issues = check(value)
  return issues ? { issues } : { value }
}
