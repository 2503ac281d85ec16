/**
 * Elicitation forms: the flat, restricted JSON Schema of a form that a user fills in.
 * https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */

import { isString, isStrings } from '../../../util/src/strings.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { SchemaError } from '../schema/errors.ts'
import type { Issue } from '../schema/standard.ts'
import { FORMAT_CHECKS, isFormat, type TextFormat } from './text-formats.ts'

interface FieldLabels {
  title?: string
  description?: string
}

export interface StringField extends FieldLabels {
  type: 'string'
  minLength?: number
  maxLength?: number
  format?: TextFormat
  default?: string
}

export interface NumberField extends FieldLabels {
  type: 'number' | 'integer'
  minimum?: number
  maximum?: number
  default?: number
}

export interface BooleanField extends FieldLabels {
  type: 'boolean'
  default?: boolean
}

export interface Choice {
  const: string
  title: string
}

/** A choice of one value: `enum`, or `oneOf` with titles. `enumNames` is the older way to specify titles. */
export interface SelectField extends FieldLabels {
  type: 'string'
  enum?: string[]
  enumNames?: string[]
  oneOf?: Choice[]
  default?: string
}

/** A choice of several values. */
export interface MultiSelectField extends FieldLabels {
  type: 'array'
  items: { type: 'string'; enum: string[] } | { anyOf: Choice[] }
  minItems?: number
  maxItems?: number
  default?: string[]
}

/** A field of a form. */
export type ElicitationField = StringField | NumberField | BooleanField | SelectField | MultiSelectField

/** The schema of a form: a flat object of fields. */
export interface ElicitationSchema {
  type: 'object'
  properties: { [name: string]: ElicitationField }
  required?: string[]
}

/**
 * Converts a JSON Schema to the schema of a form. Keywords that the protocol does not define are dropped; the original schema still validates
 * the answer. Unions of string literals become choices.
 *
 * @throws SchemaError if a property cannot be a form field.
 */
export function toElicitationSchema(json: JsonObject): ElicitationSchema {
  if (json.type !== 'object' || !isObject(json.properties))
    throw new SchemaError('The schema of an elicitation must be an object with "properties"')
  const fields = Object.entries(json.properties).map(([name, property]) => [name, toField(name, property)] as const)
  const properties = Object.fromEntries(fields)
  const required = Array.isArray(json.required)
    ? json.required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
    : []
  return required.length > 0 ? { type: 'object', properties, required } : { type: 'object', properties }
}

function toField(name: string, property: unknown): ElicitationField {
  const schema = isObject(property) ? withoutNull(property) : {}
  const field = toChoiceField(schema) ?? toPlainField(schema)
  if (!field)
    throw new SchemaError(
      `"${name}" cannot be a form field: a field is a string, number, integer, boolean, a choice of strings, or a list of choices`,
    )
  return field
}

/** Replaces `anyOf: [X, { type: 'null' }]` by X, because a user leaves a field empty instead of entering null. */
function withoutNull(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const others = anyOf.filter((option) => !isObject(option) || option.type !== 'null')
  return others.length === 1 && isObject(others[0]) ? { ...others[0], ...rest } : { ...rest, anyOf: others }
}

function toChoiceField(schema: JsonObject): SelectField | MultiSelectField | undefined {
  if (schema.type === 'array') {
    const choices = isObject(schema.items) ? readChoices(schema.items) : undefined
    if (!choices) return undefined
    const items: MultiSelectField['items'] = choices.titled ? { anyOf: choices.titled } : { type: 'string', enum: choices.values }
    return copyKeywords<MultiSelectField>({ type: 'array', items }, schema, {
      minItems: isInteger,
      maxItems: isInteger,
      default: isStrings,
    })
  }
  const choices = readChoices(schema)
  if (!choices) return undefined
  const { titled, values } = choices
  const names =
    !titled && isStrings(schema.enumNames) && schema.enumNames.length === values.length ? { enumNames: schema.enumNames } : {}
  return copyKeywords<SelectField>(
    titled ? { type: 'string', oneOf: titled } : { type: 'string', enum: values, ...names },
    schema,
    {
      default: isString,
    },
  )
}

interface Choices {
  values: string[]
  titled?: Choice[]
}

function readChoices(schema: JsonObject): Choices | undefined {
  if (isStrings(schema.enum)) return { values: schema.enum }
  if (isString(schema.const)) return { values: [schema.const] }
  const options = schema.oneOf ?? schema.anyOf
  if (!Array.isArray(options) || options.length === 0) return undefined
  const titled: Choice[] = []
  for (const option of options) {
    const choices = isObject(option) ? readChoices(option) : undefined
    if (!choices) return undefined
    const title = isObject(option) && isString(option.title) && choices.values.length === 1 ? option.title : undefined
    titled.push(...choices.values.map((value) => ({ const: value, title: title ?? value })))
  }
  const values = titled.map((choice) => choice.const)
  return titled.some(({ const: value, title }) => value !== title) ? { values, titled } : { values }
}

function toPlainField(schema: JsonObject): ElicitationField | undefined {
  const types = [schema.type].flat().filter((type) => type !== 'null')
  const [type] = types
  if (types.length !== 1) return undefined
  if (type === 'string')
    return copyKeywords<StringField>({ type }, schema, {
      minLength: isInteger,
      maxLength: isInteger,
      format: isFormat,
      default: isString,
    })
  if (type === 'boolean') return copyKeywords<BooleanField>({ type }, schema, { default: isBoolean })
  if (type !== 'number' && type !== 'integer') return undefined
  return copyKeywords<NumberField>({ type }, schema, {
    minimum: isBound,
    maximum: isBound,
    default: type === 'integer' ? isInteger : isNumber,
  })
}

/** Copies the labels and the known keywords whose values are valid. */
function copyKeywords<F extends object>(
  field: F,
  schema: JsonObject,
  known: { readonly [keyword: string]: (value: unknown) => boolean },
): F {
  const all = { title: isString, description: isString, ...known }
  const valid = Object.entries(all).filter(([keyword, isValid]) => isValid(schema[keyword]))
  return { ...field, ...Object.fromEntries(valid.map(([keyword]) => [keyword, schema[keyword]])) }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'

/** Schema libraries express "integer" as the range of safe integers, which is no bound to show to a user. */
const isBound = (value: unknown): boolean => isNumber(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER

/** Returns the content with the defaults of missing fields, and without fields that the form does not have. */
export function applyDefaults(schema: ElicitationSchema, content: JsonObject): JsonObject {
  const fields = Object.entries(schema.properties).map(([name, field]) => [
    name,
    has(content, name) ? content[name] : field.default,
  ])
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** Validates the content of an answer against the form. Returns no issues if it is valid. */
export function checkContent(schema: ElicitationSchema, content: unknown): Issue[] {
  if (!isObject(content)) return [{ path: [], message: 'expected an object' }]
  const issues: Issue[] = []
  for (const name of schema.required ?? []) if (!has(content, name)) issues.push({ path: [name], message: 'required' })
  for (const [name, field] of Object.entries(schema.properties)) {
    const message = has(content, name) ? checkField(field, content[name]) : undefined
    if (message) issues.push({ path: [name], message })
  }
  return issues
}

function has(content: JsonObject, name: string): boolean {
  return Object.hasOwn(content, name) && content[name] !== undefined
}

function checkField(field: ElicitationField, value: unknown): string | undefined {
  if (field.type === 'boolean') return typeof value === 'boolean' ? undefined : 'expected true or false'
  if (field.type === 'array') return checkChoices(field, value)
  if (field.type === 'string') return typeof value === 'string' ? checkString(field, value) : 'expected a string'
  return checkNumber(field, value)
}

function checkNumber({ type, minimum, maximum }: NumberField, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'expected a number'
  if (type === 'integer' && !Number.isInteger(value)) return 'expected a whole number'
  if (minimum !== undefined && value < minimum) return `expected at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `expected at most ${maximum}`
  return undefined
}

function checkString(field: StringField | SelectField, value: string): string | undefined {
  const choices = choicesOf(field)
  if (choices) return choices.includes(value) ? undefined : oneOf(choices)
  const { minLength = 0, maxLength = Infinity, format } = field as StringField
  const { length } = Array.from(value)
  if (length < minLength) return `expected at least ${minLength} characters`
  if (length > maxLength) return `expected at most ${maxLength} characters`
  return format === undefined || FORMAT_CHECKS[format](value) ? undefined : `expected format ${format}`
}

function checkChoices({ items, minItems = 0, maxItems = Infinity }: MultiSelectField, value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'expected a list'
  const choices = 'enum' in items ? items.enum : items.anyOf.map((choice) => choice.const)
  if (value.length < minItems) return `expected at least ${minItems} choices`
  if (value.length > maxItems) return `expected at most ${maxItems} choices`
  return value.every((item) => choices.includes(item)) ? undefined : oneOf(choices)
}

function choicesOf(field: StringField | SelectField): string[] | undefined {
  if ('enum' in field && field.enum) return field.enum
  return 'oneOf' in field && field.oneOf ? field.oneOf.map((choice) => choice.const) : undefined
}

function oneOf(choices: readonly string[]): string {
  const shown = choices.slice(0, 10).map((choice) => JSON.stringify(choice.slice(0, 40)))
  return `expected one of ${shown.join(', ')}${choices.length > 10 ? ` … (${choices.length})` : ''}`
}
