import { resolveSchema } from './resolve.ts'
import { isObject, numberOf, type Schema, type SchemaObject, schemaMap, schemasIn, textOf, typesOf } from './schema.ts'

/** One of the values that a choice offers. */
export interface Option {
  /** The value that is sent. */
  readonly value: unknown
  /** The text that the reader sees. */
  readonly label: string
}

/** The members that every field of a form has. */
interface FieldBase {
  /** The schema that the field was made from, with its references followed. */
  readonly schema: SchemaObject
  /** The name of the field, if the schema has a title. */
  readonly title?: string
  /** The purpose of the field. */
  readonly description?: string
  /** True if `null` is a value of the field. */
  readonly nullable: boolean
  /** The default of the schema, if it has one: `undefined` if not, because JSON has no `undefined`. */
  readonly default?: unknown
  /** The name of the HTTP header that repeats the value (`x-mcp-header`). */
  readonly header?: string
  /** True if the schema marks the field as deprecated. */
  readonly deprecated?: boolean
}

/** A text. `format` is a hint for the input; `long` asks for several lines; `secret` hides what is typed. */
export interface TextField extends FieldBase {
  readonly kind: 'text'
  readonly format?: string
  readonly long?: boolean
  readonly secret?: boolean
  readonly suggestions?: readonly string[]
}

/** A file, whose bytes are sent in base64. */
export interface FileField extends FieldBase {
  readonly kind: 'file'
  readonly mediaType?: string
}

/** A number. */
export interface NumberField extends FieldBase {
  readonly kind: 'number'
  readonly integer: boolean
}

/** True or false. */
export interface BooleanField extends FieldBase {
  readonly kind: 'boolean'
}

/** One of the values that the schema lists. */
export interface ChoiceField extends FieldBase {
  readonly kind: 'choice'
  readonly options: readonly Option[]
}

/** Several of the values that the schema lists. */
export interface ChoicesField extends FieldBase {
  readonly kind: 'choices'
  readonly options: readonly Option[]
  /** The schema of the items. */
  readonly items: Schema
}

/** A member of an object. */
export interface Member {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}

/** An object with the members that the schema lists, and further ones where it allows them. */
export interface ObjectField extends FieldBase {
  readonly kind: 'object'
  readonly members: readonly Member[]
  /** The schema of further members, or `undefined` if none are allowed. */
  readonly additional?: Schema
}

/** An array. The first items may have schemas of their own (`prefixItems`). */
export interface ArrayField extends FieldBase {
  readonly kind: 'array'
  readonly prefix: readonly Schema[]
  /** The schema of further items, or `undefined` if none are allowed. */
  readonly items?: Schema
}

/** One of several shapes. */
export interface VariantsField extends FieldBase {
  readonly kind: 'variants'
  readonly variants: readonly Variant[]
}

/** A shape that a value may have. */
export interface Variant {
  readonly label: string
  readonly schema: Schema
}

/** Only `null`. */
export interface NullField extends FieldBase {
  readonly kind: 'null'
}

/** Any JSON value: what the form has no input for. */
export interface AnyField extends FieldBase {
  readonly kind: 'any'
}

/** A part of a form. */
export type Field =
  | TextField
  | FileField
  | NumberField
  | BooleanField
  | ChoiceField
  | ChoicesField
  | ObjectField
  | ArrayField
  | VariantsField
  | NullField
  | AnyField

/**
 * Returns the field for a schema. Parts of objects, arrays and variants stay schemas until they are shown, so recursive schemas
 * end where the value ends. `root` is the document that references point into.
 */
export function fieldOf(schema: Schema, root: Schema): Field {
  const resolved = resolveSchema(schema, root)
  const { own, nullable } = withoutNull(resolved, root)
  const base: FieldBase = { schema: own, nullable, ...annotations(resolved), ...annotations(own) }
  return choiceOf(own, base) ?? variantsOf(own, { base, root }) ?? typedField(own, { base, root })
}

function annotations(schema: SchemaObject): Partial<FieldBase> {
  const title = textOf(schema, 'title')
  const description = textOf(schema, 'description')
  const header = textOf(schema, 'x-mcp-header')
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(header !== undefined && { header }),
    ...('default' in schema && { default: schema['default'] }),
    ...(schema['deprecated'] === true && { deprecated: true }),
  }
}

/** Separates `null` from the other values of a schema: `type: [X, 'null']`, `nullable`, an alternative that is only `null`. */
function withoutNull(schema: SchemaObject, root: Schema): { own: SchemaObject; nullable: boolean } {
  const types = typesOf(schema)
  if (types.length > 1 && types.includes('null')) {
    const rest = types.filter((type) => type !== 'null')
    const own: SchemaObject = { ...schema, type: rest.length === 1 ? rest[0] : rest, ...withoutNullValue(schema) }
    return { own, nullable: true }
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = schemasIn(schema, keyword)
    const rest = parts.filter((part) => !isOnlyNull(resolveSchema(part, root)))
    if (rest.length === parts.length || rest.length === 0) continue
    const { [keyword]: _, ...outer } = schema
    const own = rest.length === 1 ? { ...resolveSchema(rest[0] ?? true, root), ...outer } : { ...outer, [keyword]: rest }
    return { own, nullable: true }
  }
  const lists = Array.isArray(schema['enum']) && schema['enum'].includes(null) && schema['enum'].length > 1
  if (lists) return { own: { ...schema, ...withoutNullValue(schema) }, nullable: true }
  return { own: schema, nullable: schema['nullable'] === true }
}

const withoutNullValue = (schema: SchemaObject): SchemaObject =>
  Array.isArray(schema['enum']) ? { enum: schema['enum'].filter((value) => value !== null) } : {}

function isOnlyNull(schema: SchemaObject): boolean {
  const types = typesOf(schema)
  if (types.length === 1 && types[0] === 'null') return true
  if ('const' in schema) return schema['const'] === null
  return Array.isArray(schema['enum']) && schema['enum'].length === 1 && schema['enum'][0] === null
}

/** A fixed list of values: `enum`, `const`, or alternatives that are all constants. */
function choiceOf(schema: SchemaObject, base: FieldBase): ChoiceField | undefined {
  const options = optionsOf(schema)
  return options && { ...base, kind: 'choice', options }
}

function optionsOf(schema: SchemaObject): Option[] | undefined {
  if ('const' in schema) return [{ value: schema['const'], label: labelOf(schema['const']) }]
  if (Array.isArray(schema['enum'])) {
    const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : []
    return schema['enum'].map((value, index) => ({
      value,
      label: typeof names[index] === 'string' ? names[index] : labelOf(value),
    }))
  }
  for (const keyword of ['oneOf', 'anyOf']) {
    const parts = schemasIn(schema, keyword)
    if (parts.length === 0 || !parts.every((part) => isObject(part) && 'const' in part)) continue
    return parts
      .filter(isObject)
      .map((part) => ({ value: part['const'], label: textOf(part, 'title') ?? labelOf(part['const']) }))
  }
  return undefined
}

const labelOf = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : JSON.stringify(value))

interface Place {
  readonly base: FieldBase
  readonly root: Schema
}

function variantsOf(schema: SchemaObject, { base, root }: Place): Field | undefined {
  for (const keyword of ['oneOf', 'anyOf']) {
    const parts = schemasIn(schema, keyword)
    if (parts.length === 0 || parts.every((part) => isConstraint(part))) continue
    const { [keyword]: _, title: _title, description: _description, default: _default, ...outer } = schema
    const shapes = parts.map((part) => (Object.keys(outer).length === 0 ? part : { allOf: [outer, part] }))
    if (shapes.length === 1) return fieldOf({ ...annotationsOf(schema), allOf: [shapes[0]] }, root)
    const texts = suggestionsOf(parts, root)
    if (texts) return { ...base, kind: 'text', suggestions: texts }
    return {
      ...base,
      kind: 'variants',
      variants: shapes.map((shape, index) => ({ label: variantLabel(shape, index, root), schema: shape })),
    }
  }
  const types = typesOf(schema)
  if (types.length < 2) return undefined
  if (types.length === 2 && types.includes('integer') && types.includes('number')) return undefined
  const { title: _title, description: _description, default: _default, ...rest } = schema
  return { ...base, kind: 'variants', variants: types.map((type) => ({ label: type, schema: { ...rest, type } })) }
}

const annotationsOf = ({ title, description, default: value }: SchemaObject): SchemaObject => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(value !== undefined && { default: value }),
})

/** Alternatives that only say which members are required describe no shape of their own. */
function isConstraint(part: Schema): boolean {
  return isObject(part) && Object.keys(part).every((key) => ['required', 'not', 'description', 'title'].includes(key))
}

/** Text with suggested values: a list of strings or any other string. */
function suggestionsOf(parts: Schema[], root: Schema): string[] | undefined {
  const resolved = parts.map((part) => resolveSchema(part, root))
  const open = resolved.filter((part) => typesOf(part)[0] === 'string' && optionsOf(part) === undefined)
  const lists = resolved.filter((part) => !open.includes(part)).map(optionsOf)
  if (open.length !== 1 || lists.length === 0) return undefined
  const values = lists.flatMap((list) => list?.map(({ value }) => value) ?? [undefined])
  return values.every((value) => typeof value === 'string') ? values : undefined
}

function variantLabel(shape: Schema, index: number, root: Schema): string {
  const schema = resolveSchema(shape, root)
  const title = textOf(schema, 'title')
  if (title) return title
  const tag = schemaMap(schema, 'properties').find(([, property]) => isObject(property) && 'const' in property)
  if (tag && isObject(tag[1])) return labelOf(tag[1]['const'])
  const options = optionsOf(schema)
  if (options) return options.length === 1 ? (options[0]?.label ?? '') : 'one of a list'
  return typesOf(schema).join(' or ') || shapeName(schema) || `variant ${index + 1}`
}

const shapeName = (schema: SchemaObject): string | undefined =>
  'properties' in schema ? 'object' : 'items' in schema ? 'array' : undefined

/** Which keywords tell the type of a schema that does not say it. */
const TYPE_OF_KEYWORD: { [keyword: string]: string } = {
  properties: 'object',
  additionalProperties: 'object',
  patternProperties: 'object',
  required: 'object',
  items: 'array',
  prefixItems: 'array',
  minItems: 'array',
  pattern: 'string',
  minLength: 'string',
  maxLength: 'string',
  format: 'string',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
}

function typeOf(schema: SchemaObject): string | undefined {
  const types = typesOf(schema)
  if (types.length === 2) return 'number'
  return types[0] ?? Object.entries(TYPE_OF_KEYWORD).find(([keyword]) => Object.hasOwn(schema, keyword))?.[1]
}

function typedField(schema: SchemaObject, { base, root }: Place): Field {
  const type = typeOf(schema) ?? 'any'
  return (FIELDS[type] ?? anyField)(schema, { base, root })
}

const anyField = (_schema: SchemaObject, { base }: Place): Field => ({ ...base, kind: 'any' })

const FIELDS: { [type: string]: (schema: SchemaObject, place: Place) => Field } = {
  string: textField,
  number: (_schema, { base }) => ({ ...base, kind: 'number', integer: false }),
  integer: (_schema, { base }) => ({ ...base, kind: 'number', integer: true }),
  boolean: (_schema, { base }) => ({ ...base, kind: 'boolean' }),
  null: (_schema, { base }) => ({ ...base, kind: 'null' }),
  object: objectField,
  array: arrayField,
}

/** A text that may have more characters gets several lines. */
const LONG_TEXT = 2000
const BINARY = ['byte', 'binary', 'base64', 'data-url', 'file']

function textField(schema: SchemaObject, { base }: Place): Field {
  const format = textOf(schema, 'format')
  const encoded = textOf(schema, 'contentEncoding') === 'base64' || (format !== undefined && BINARY.includes(format))
  const mediaType = textOf(schema, 'contentMediaType')
  if (encoded) return { ...base, kind: 'file', ...(mediaType && { mediaType }) }
  const long = (numberOf(schema, 'maxLength') ?? 0) > LONG_TEXT || format === 'textarea' || mediaType?.startsWith('text/')
  const secret = schema['writeOnly'] === true || format === 'password'
  return { ...base, kind: 'text', ...(format && { format }), ...(long && { long }), ...(secret && { secret }) }
}

function objectField(schema: SchemaObject, { base }: Place): ObjectField {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const listed = schemaMap(schema, 'properties').map(([name, member]) => ({ name, schema: member, required: required.has(name) }))
  const known = new Set(listed.map(({ name }) => name))
  const unlisted = [...required].filter((name): name is string => typeof name === 'string' && !known.has(name))
  const members = [...listed, ...unlisted.map((name) => ({ name, schema: additionalOf(schema) ?? true, required: true }))]
  const additional = additionalOf(schema)
  return { ...base, kind: 'object', members, ...(additional !== undefined && { additional }) }
}

/** Returns the schema of members that are not listed. An object that lists some and says nothing else has no input for others. */
function additionalOf(schema: SchemaObject): Schema | undefined {
  const { additionalProperties } = schema
  if (isObject(additionalProperties)) return additionalProperties
  const [pattern] = schemaMap(schema, 'patternProperties')
  if (pattern) return pattern[1]
  if (additionalProperties === true) return true
  return additionalProperties === undefined && schemaMap(schema, 'properties').length === 0 ? true : undefined
}

function arrayField(schema: SchemaObject, { base, root }: Place): Field {
  const tuple = schemasIn(schema, 'prefixItems')
  const old = schemasIn(schema, 'items')
  const prefix = tuple.length > 0 ? tuple : old
  const rest = old.length > 0 ? schema['additionalItems'] : schema['items']
  const items = rest === false ? undefined : isObject(rest) ? rest : true
  const options = prefix.length === 0 && items && optionsOf(resolveSchema(items, root))
  if (options) return { ...base, kind: 'choices', options, items }
  return { ...base, kind: 'array', prefix, ...(items !== undefined && { items }) }
}
