import { isObject, type JsonObject } from '../jsonrpc/message.ts'

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['string', (value) => typeof value === 'string'],
  ['number', Number.isFinite],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', Array.isArray],
  ['object', isObject],
])

/** Reports whether a value has the type that a keyword applies to, and satisfies the keyword. */
type KeywordCheck = (value: unknown, schema: JsonObject) => boolean

const annotation: KeywordCheck = () => true

const properties: KeywordCheck = (value, { properties = {}, additionalProperties = true }) =>
  isObject(value) &&
  isObject(properties) &&
  Object.keys(value).every((name) =>
    passesQuickCheck(Object.hasOwn(properties, name) ? properties[name] : additionalProperties, value[name]),
  )

const KEYWORDS: ReadonlyMap<string, KeywordCheck> = new Map<string, KeywordCheck>([
  ['$schema', annotation],
  ['title', annotation],
  ['description', annotation],
  ['default', annotation],
  ['examples', annotation],
  ['type', (value, { type }) => [type].flat().some((name) => TYPES.get(name)?.(value))],
  ['enum', (value, { enum: values }) => Array.isArray(values) && values.includes(value)],
  ['const', (value, { const: only }) => value === only],
  [
    'required',
    (value, { required }) => isObject(value) && Array.isArray(required) && required.every((name) => Object.hasOwn(value, name)),
  ],
  ['properties', properties],
  ['additionalProperties', properties],
  ['items', (value, { items }) => Array.isArray(value) && value.every((item) => passesQuickCheck(items, item))],
])

/**
 * Reports whether a value matches a schema, for schemas with only the most common keywords. It lets the first values pass without loading a
 * validator. A result of `false` is inconclusive: the value may match all the same.
 */
export function passesQuickCheck(schema: unknown, value: unknown): boolean {
  if (!isObject(schema)) return schema === true
  return Object.keys(schema).every((keyword) => KEYWORDS.get(keyword)?.(value, schema))
}
