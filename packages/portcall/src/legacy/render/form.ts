import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Fields, Revision } from '../../protocol/revisions.ts'
import { pickFields } from './fields.ts'

/** A form for a legacy revision. */
export interface RenderedForm {
  readonly requestedSchema: JsonObject
  /** Converts what the user entered to content of the original form. */
  readContent(content: JsonObject): JsonObject
}

/** A multi-select field that was replaced by one boolean field for each option. */
interface SplitField {
  readonly name: string
  readonly required: boolean
  readonly options: readonly SplitOption[]
}

interface SplitOption {
  readonly key: string
  readonly value: string
  readonly schema: JsonObject
}

interface Option {
  readonly value: string
  readonly title: string
}

/**
 * Renders the schema of a form. Each field gets the keywords that the revision defines. Titled options become `enum` and `enumNames` if
 * the revision has no `oneOf`. A multi-select field becomes one boolean field for each option if the revision has no arrays. The
 * omitted keywords are still checked against the response. Returns `undefined` if a field has a type that forms do not allow.
 */
export function renderForm(schema: JsonObject, { fields }: Revision): RenderedForm | undefined {
  const original = isObject(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = new Map<string, JsonObject>()
  const arrays: string[] = []
  const splits: SplitField[] = []
  for (const [name, field] of Object.entries(original)) {
    if (!isObject(field)) return undefined
    if (field.type === 'array' && fields.choicesField.length === 0) {
      const options = splitField(name, field, original)
      for (const option of options) properties.set(option.key, option.schema)
      splits.push({ name, required: required.delete(name), options })
      continue
    }
    const rendered = renderField(field, fields)
    if (!rendered) return undefined
    if (field.type === 'array') arrays.push(name)
    properties.set(name, rendered)
  }
  return {
    requestedSchema: {
      ...pickFields(schema, fields.formSchema),
      properties: Object.fromEntries(properties),
      ...(Array.isArray(schema.required) && { required: [...required] }),
    },
    readContent: (content) => readContent(content, arrays, splits),
  }
}

function renderField(field: JsonObject, fields: Fields): JsonObject | undefined {
  switch (field.type) {
    case 'boolean':
      return pickFields(field, fields.booleanField)
    case 'number':
    case 'integer':
      return pickFields(field, fields.numberField)
    case 'array':
      return pickFields(field, fields.choicesField)
    case 'string':
      return 'enum' in field || 'oneOf' in field ? renderSelect(field, fields) : renderString(field, fields)
    default:
      return undefined
  }
}

const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

function renderString(field: JsonObject, fields: Fields): JsonObject {
  const { format, ...rest } = pickFields(field, fields.stringField)
  return FORMATS.includes(format) ? { ...rest, format } : rest
}

function renderSelect(field: JsonObject, fields: Fields): JsonObject {
  const rendered = pickFields(field, fields.choiceField)
  if (!('oneOf' in field) || 'oneOf' in rendered) return rendered
  const options = optionsOf(field.oneOf)
  return { ...rendered, enum: options.map(({ value }) => value), enumNames: options.map(({ title }) => title) }
}

/** Returns one boolean field for each option. Their keys do not collide with the fields of the form. */
function splitField(name: string, field: JsonObject, properties: JsonObject): SplitOption[] {
  const { title = name, default: selected } = field
  const items = isObject(field.items) ? field.items : {}
  const description = [field.description, describeBounds(field)].filter(Boolean).join(' ')
  return optionsOf(items.anyOf ?? items.enum).map((option) => {
    let key = `${name}.${option.value}`
    while (Object.hasOwn(properties, key)) key += '_'
    const schema: JsonObject = { type: 'boolean', title: `${String(title)}: ${option.title}` }
    if (description) schema.description = description
    if (Array.isArray(selected)) schema.default = selected.includes(option.value)
    return { key, value: option.value, schema }
  })
}

function describeBounds({ minItems, maxItems }: JsonObject): string {
  const bounds = [
    typeof minItems === 'number' && `at least ${minItems}`,
    typeof maxItems === 'number' && `at most ${maxItems}`,
  ].filter(Boolean)
  return bounds.length > 0 ? `(Choose ${bounds.join(' and ')}.)` : ''
}

function optionsOf(list: unknown): Option[] {
  const options: unknown[] = Array.isArray(list) ? list : []
  return options.map((option) => {
    const value = String(isObject(option) ? option.const : option)
    return { value, title: isObject(option) && typeof option.title === 'string' ? option.title : value }
  })
}

/** Joins split fields to arrays, drops `null` values, and wraps a single string in an array where the form expects one. */
function readContent(content: JsonObject, arrays: readonly string[], splits: readonly SplitField[]): JsonObject {
  const read = new Map(Object.entries(content).filter(([, value]) => value !== null))
  for (const { name, required, options } of splits) {
    const entered = options.filter(({ key }) => read.has(key))
    if (!read.has(name) && (required || entered.length > 0))
      read.set(
        name,
        options.filter(({ key }) => read.get(key) === true).map(({ value }) => value),
      )
    for (const { key } of entered) read.delete(key)
  }
  for (const name of [...arrays, ...splits.map((split) => split.name)]) {
    const value = read.get(name)
    if (typeof value === 'string') read.set(name, [value])
  }
  return Object.fromEntries(read)
}
