import type { JsonObject } from './standard.ts'
import { isRecord } from './walk.ts'

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['string', (value) => typeof value === 'string'],
  ['number', Number.isFinite],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', Array.isArray],
  ['object', isRecord],
])

/** Whether a value has what a keyword of its schema asks for, and is of the type that the keyword is about. */
type Keyword = (value: unknown, schema: JsonObject) => boolean

const remark: Keyword = () => true

const fields: Keyword = (value, { properties = {}, additionalProperties = true }) =>
  isRecord(value) &&
  isRecord(properties) &&
  Object.keys(value).every((name) =>
    fitsPlainly(Object.hasOwn(properties, name) ? properties[name] : additionalProperties, value[name]),
  )

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$schema', remark],
  ['title', remark],
  ['description', remark],
  ['default', remark],
  ['examples', remark],
  ['type', (value, { type }) => [type].flat().some((name) => TYPES.get(name)?.(value))],
  ['enum', (value, { enum: values }) => Array.isArray(values) && values.includes(value)],
  ['const', (value, { const: only }) => value === only],
  [
    'required',
    (value, { required }) => isRecord(value) && Array.isArray(required) && required.every((name) => Object.hasOwn(value, name)),
  ],
  ['properties', fields],
  ['additionalProperties', fields],
  ['items', (value, { items }) => Array.isArray(value) && value.every((item) => fitsPlainly(items, item))],
])

/**
 * Tells that a value fits a schema that asks for no more than types, fields and items, so that the first values need not wait for a
 * validator. `false` says nothing: the value may fit all the same.
 */
export function fitsPlainly(schema: unknown, value: unknown): boolean {
  if (!isRecord(schema)) return schema === true
  return Object.keys(schema).every((keyword) => KEYWORDS.get(keyword)?.(value, schema))
}
