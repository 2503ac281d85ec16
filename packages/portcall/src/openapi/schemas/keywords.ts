/** The keywords of JSON Schema that converted schemas keep. Everything else is dropped: `xml`, `example`, `discriminator`, extensions. */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { JsonSchema } from '../../schema/standard.ts'

/** A converted schema. */
export type ConvertedSchema = JsonSchema | boolean

/** The context in which a keyword converts its value. */
export interface KeywordContext {
  /** Converts a subschema. */
  convert(schema: unknown): ConvertedSchema
  /** Converts a branch of `allOf`. */
  convertPart(schema: unknown): ConvertedSchema
  /** Reports a value that is dropped. */
  drop(problem: string): void
  /** True if the schema describes a response. Its constraints are dropped, required properties included, because APIs deviate from them. */
  readonly isResponse: boolean
}

/** Converts the value of a keyword. Returns `undefined` to drop the keyword. */
type Keyword = (value: unknown, context: KeywordContext) => unknown

const MAX_DESCRIPTION_LENGTH = 1000
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

const keep: Keyword = (value) => value
const text: Keyword = (value) => (typeof value === 'string' && value !== '' ? shorten(value) : undefined)
const flag: Keyword = (value) => (value === true ? true : undefined)
const limit: Keyword = (value, { isResponse }) =>
  !isResponse && typeof value === 'number' && Number.isFinite(value) ? value : undefined
const count: Keyword = (value, { isResponse }) =>
  !isResponse && Number.isInteger(value) && Number(value) >= 0 ? value : undefined
const subschema: Keyword = (value, { convert }) => (isObject(value) || typeof value === 'boolean' ? convert(value) : undefined)
const subschemas: Keyword = (value, { convert }) => (Array.isArray(value) && value.length > 0 ? value.map(convert) : undefined)
const map: Keyword = (value, { convert }) => (isObject(value) ? mapValues(value, convert) : undefined)
const constraint: Keyword = (value, context) => (context.isResponse ? undefined : subschema(value, context))

/** Maps each keyword to the function that converts its value. */
export const KEYWORDS: { readonly [keyword: string]: Keyword } = {
  title: text,
  description: text,
  default: keep,
  const: (value, { isResponse }) => (isResponse ? undefined : value),
  deprecated: flag,
  examples: (value, { isResponse }) => {
    const examples = Array.isArray(value) && !isResponse ? value.filter((example) => !hasReference(example)).slice(0, 3) : []
    return examples.length > 0 ? examples : undefined
  },
  type: (value) => {
    const types = (Array.isArray(value) ? value : [value]).filter((type) => TYPES.includes(type))
    return types.length > 1 ? [...new Set(types)] : types[0]
  },
  enum: (value, { isResponse }) => (Array.isArray(value) && value.length > 0 && !isResponse ? value : undefined),
  multipleOf: (value, context) => (Number(value) > 0 ? limit(value, context) : undefined),
  minimum: limit,
  maximum: limit,
  exclusiveMinimum: limit,
  exclusiveMaximum: limit,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  minContains: count,
  maxContains: count,
  uniqueItems: (value, { isResponse }) => (value === true && !isResponse ? true : undefined),
  pattern: (value, { isResponse, drop }) =>
    typeof value === 'string' && !isResponse && isPattern(value, drop) ? value : undefined,
  format: (value, { isResponse }) => (typeof value === 'string' && !isResponse ? value : undefined),
  contentEncoding: text,
  contentMediaType: text,
  items: (value, context) => (Array.isArray(value) ? undefined : subschema(value, context)),
  prefixItems: subschemas,
  contains: constraint,
  properties: map,
  patternProperties: (value, { convert, isResponse, drop }) => {
    if (!isObject(value) || isResponse) return undefined
    return mapValues(Object.fromEntries(Object.entries(value).filter(([source]) => isPattern(source, drop))), convert)
  },
  additionalProperties: (value, context) => (value === false && context.isResponse ? undefined : subschema(value, context)),
  propertyNames: constraint,
  required: (value, { isResponse }) => {
    const names = Array.isArray(value) && !isResponse ? value.filter((name) => typeof name === 'string') : []
    return names.length > 0 ? [...new Set(names)] : undefined
  },
  dependentRequired: (value, { isResponse }) =>
    isObject(value) && !isResponse && Object.values(value).every(Array.isArray) ? value : undefined,
  dependentSchemas: (value, context) => (context.isResponse ? undefined : map(value, context)),
  allOf: (value, { convertPart }) => (Array.isArray(value) && value.length > 0 ? value.map(convertPart) : undefined),
  anyOf: subschemas,
  not: constraint,
  if: constraint,
  // biome-ignore lint/suspicious/noThenProperty: It is the name of a keyword.
  then: constraint,
  else: constraint,
  unevaluatedItems: constraint,
  unevaluatedProperties: constraint,
  contentSchema: subschema,
}

/** Keywords that restrict values and are left out. */
export const UNSUPPORTED: readonly string[] = ['$dynamicRef', '$recursiveRef', 'dependencies', 'additionalItems']

/** Shortens a description at the end of a sentence, so that a schema does not consist of documentation. */
export function shorten(description: string, length: number = MAX_DESCRIPTION_LENGTH): string {
  if (description.length <= length) return description
  const cut = description.slice(0, length - 1)
  const end = Math.max(cut.lastIndexOf('. '), cut.lastIndexOf('\n'))
  return end > length / 2 ? cut.slice(0, end + 1).trimEnd() : `${cut}…`
}

/** Reports whether an example stands for an object elsewhere in the description. */
function hasReference(example: unknown): boolean {
  return isObject(example) && typeof example.$ref === 'string'
}

function mapValues(value: JsonObject, convert: (schema: unknown) => ConvertedSchema): { [name: string]: ConvertedSchema } {
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, convert(schema)]))
}

/** Reports whether a text is a regular expression. `drop` receives what is wrong with others. */
export function isPattern(source: string, drop?: (problem: string) => void): boolean {
  try {
    return new RegExp(source, 'u') !== undefined
  } catch {
    drop?.(
      `the pattern ${JSON.stringify(source).slice(0, 80)} is not a regular expression of JavaScript with the flag u; it is left out`,
    )
    return false
  }
}
