import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Fields, Revision } from '../protocol/revisions.ts'

/** A form in the words of a legacy revision. */
export interface RenderedForm {
  readonly requestedSchema: JsonObject
  /** Turns what the user filled in into the content that the original form asks for. */
  readContent(content: JsonObject): JsonObject
}

/** A choice of several options that became one yes-or-no field an option. */
interface Split {
  readonly name: string
  readonly required: boolean
  readonly options: readonly { readonly field: string; readonly value: string }[]
}

interface Option {
  readonly value: string
  readonly title: string
}

/**
 * Renders the schema of a form: each field with the keywords that the revision has, titled options as `enum` with `enumNames` where it
 * has nothing else, and a choice of several as one boolean an option where there are no lists. What is left out is still checked when the
 * answer comes. `undefined` when the form has a field that is no field of a form.
 */
export function renderForm(schema: JsonObject, { fields }: Revision): RenderedForm | undefined {
  const given = isObject(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = new Map<string, JsonObject>()
  const lists: string[] = []
  const splits: Split[] = []
  for (const [name, field] of Object.entries(given)) {
    if (!isObject(field)) return undefined
    if (field.type === 'array' && fields.choicesField.length === 0) {
      const options = splitChoice(name, field, given)
      for (const { field: key, schema: option } of options) properties.set(key, option)
      splits.push({ name, required: required.delete(name), options })
      continue
    }
    const rendered = renderField(field, fields)
    if (!rendered) return undefined
    if (field.type === 'array') lists.push(name)
    properties.set(name, rendered)
  }
  return {
    requestedSchema: {
      ...pick(schema, fields.formSchema),
      properties: Object.fromEntries(properties),
      ...(Array.isArray(schema.required) && { required: [...required] }),
    },
    readContent: (content) => readContent(content, lists, splits),
  }
}

function renderField(field: JsonObject, fields: Fields): JsonObject | undefined {
  switch (field.type) {
    case 'boolean':
      return pick(field, fields.booleanField)
    case 'number':
    case 'integer':
      return pick(field, fields.numberField)
    case 'array':
      return pick(field, fields.choicesField)
    case 'string':
      return 'enum' in field || 'oneOf' in field ? renderChoice(field, fields) : renderString(field, fields)
    default:
      return undefined
  }
}

const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

function renderString(field: JsonObject, fields: Fields): JsonObject {
  const { format, ...rest } = pick(field, fields.stringField)
  return FORMATS.includes(format) ? { ...rest, format } : rest
}

function renderChoice(field: JsonObject, fields: Fields): JsonObject {
  const rendered = pick(field, fields.choiceField)
  if (!('oneOf' in field) || 'oneOf' in rendered) return rendered
  const options = optionsOf(field.oneOf)
  return { ...rendered, enum: options.map(({ value }) => value), enumNames: options.map(({ title }) => title) }
}

function splitChoice(name: string, field: JsonObject, taken: JsonObject): { field: string; value: string; schema: JsonObject }[] {
  const { title = name, default: chosen } = field
  const items = isObject(field.items) ? field.items : {}
  const description = [field.description, bounds(field)].filter(Boolean).join(' ')
  return optionsOf(items.anyOf ?? items.enum).map((option) => {
    let key = `${name}.${option.value}`
    while (Object.hasOwn(taken, key)) key += '_'
    const schema: JsonObject = { type: 'boolean', title: `${String(title)}: ${option.title}` }
    if (description) schema.description = description
    if (Array.isArray(chosen)) schema.default = chosen.includes(option.value)
    return { field: key, value: option.value, schema }
  })
}

function bounds({ minItems, maxItems }: JsonObject): string {
  const limits = [
    typeof minItems === 'number' && `at least ${minItems}`,
    typeof maxItems === 'number' && `at most ${maxItems}`,
  ].filter(Boolean)
  return limits.length > 0 ? `(Choose ${limits.join(' and ')}.)` : ''
}

function optionsOf(list: unknown): Option[] {
  const options: unknown[] = Array.isArray(list) ? list : []
  return options.map((option) => {
    const value = String(isObject(option) ? option.const : option)
    return { value, title: isObject(option) && typeof option.title === 'string' ? option.title : value }
  })
}

function readContent(content: JsonObject, lists: readonly string[], splits: readonly Split[]): JsonObject {
  const read = new Map(Object.entries(content).filter(([, value]) => value !== null))
  for (const { name, required, options } of splits) {
    const answered = options.filter(({ field }) => read.has(field))
    if (!read.has(name) && (required || answered.length > 0))
      read.set(
        name,
        options.filter(({ field }) => read.get(field) === true).map(({ value }) => value),
      )
    for (const { field } of answered) read.delete(field)
  }
  for (const name of [...lists, ...splits.map((split) => split.name)]) {
    const value = read.get(name)
    if (typeof value === 'string') read.set(name, [value])
  }
  return Object.fromEntries(read)
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)))
}
