/** The fields of a form, from the input schema of its tool. */
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import type { FieldSpec, OptionSpec } from '../../apps/described/spec.ts'
import { titleOf } from '../../apps/described/values.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { resolveRef } from '../../schema/resolve-ref.ts'
import type { Schema, StandardSchema } from '../../schema/standard.ts'
import { toJsonSchema } from '../../schema/to-json-schema.ts'
import type { FormField } from './options.ts'

const NAMES: OptionNames<FormField> = {
  title: 'text',
  help: 'text',
  placeholder: 'text',
  multiline: 'boolean',
  hidden: 'boolean',
}

/** The types of fields, by the format of a text. */
const FORMATS: { readonly [format: string]: FieldSpec['type'] } = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime',
  time: 'time',
}
/** Longer texts have a field of several lines. */
const LONG_TEXT = 200

/** Returns the fields of a form. @throws TypeError for a schema that no form can fill in, and for a field that it does not have. */
export function readFields(
  where: string,
  input: Schema | StandardSchema,
  looks: { readonly [name: string]: FormField } = {},
): readonly FieldSpec[] {
  const schema = toJsonSchema(input, 'form')
  const { properties, required = [] } = schema
  if (!isObject(properties) || Object.keys(properties).length === 0)
    throw new TypeError(`${where}: input must be the schema of an object with properties`)
  const unknown = Object.keys(looks).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined) throw new TypeError(`${where}: fields.${unknown} is not a property of input`)
  return Object.entries(properties).map(([name, property]) => {
    const own = Object.hasOwn(looks, name) ? (looks[name] as FormField) : {}
    checkOptions(`${where}: fields.${name}`, own, { names: NAMES })
    const field = createField(name, { property: property as JsonObject, root: schema, look: own })
    if (!field)
      throw new TypeError(
        `${where}: a form cannot fill in ${describe(name)}. Hide it with fields: { ${name}: { hidden: true } }, or use another view`,
      )
    const isRequired = (required as readonly unknown[]).includes(name) && !field.isNullable
    return { ...field.spec, required: isRequired }
  })
}

interface FieldSource {
  readonly property: JsonObject
  readonly root: JsonObject
  readonly look: FormField
}

function createField(
  name: string,
  { property, root, look }: FieldSource,
): { readonly spec: Omit<FieldSpec, 'required'>; readonly isNullable: boolean } | undefined {
  const { schema, isNullable } = plainSchema(property, root)
  const { title = schema.title ?? titleOf(name), help = schema.description, placeholder, hidden } = look
  const kind = hidden ? ({ type: 'text' } as const) : kindOfField(schema, { root, look })
  if (!kind) return undefined
  const all = { name, title, help, placeholder, hidden, default: property.default ?? schema.default, ...kind }
  return { spec: withoutUndefined(all) as Omit<FieldSpec, 'required'>, isNullable }
}

/** Follows a reference, and leaves out the alternative `null`. */
function plainSchema(property: JsonObject, root: JsonObject): { readonly schema: JsonObject; readonly isNullable: boolean } {
  const target = typeof property.$ref === 'string' ? resolveRef(property.$ref, root) : undefined
  const schema = isObject(target) ? { ...target, ...property } : property
  const { type, anyOf } = schema
  if (Array.isArray(type) && type.includes('null')) {
    const [first] = type.filter((one) => one !== 'null')
    return { schema: { ...schema, type: first }, isNullable: true }
  }
  const others = Array.isArray(anyOf) ? anyOf.filter((one) => isObject(one) && one.type !== 'null') : []
  const [only] = others
  if (!Array.isArray(anyOf) || others.length !== 1 || anyOf.length !== 2) return { schema, isNullable: false }
  const { anyOf: _, ...outer } = schema
  return { schema: { ...(only as JsonObject), ...outer }, isNullable: true }
}

type FieldKind = Partial<FieldSpec> & Pick<FieldSpec, 'type'>

/** Returns the type and the limits of a field; `undefined` for a value that no field can hold. */
function kindOfField(schema: JsonObject, { root, look }: Pick<FieldSource, 'root' | 'look'>): FieldKind | undefined {
  const options = optionsOf(schema)
  if (options) return { type: 'choice', options }
  const { type, format, minLength, maxLength, pattern } = schema as { [name: string]: unknown }
  if (type === 'boolean') return { type: 'flag' }
  if (type === 'number' || type === 'integer') return numberKind(schema)
  if (type === 'array') return listKind(schema, root)
  if (type !== 'string') return undefined
  const isLong = look.multiline ?? (typeof maxLength === 'number' && maxLength > LONG_TEXT)
  const own = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  // The browser checks the format of these; the pattern of a library is for the same.
  return {
    type: own ?? (isLong ? 'lines' : 'text'),
    ...({ minLength, maxLength } as object),
    ...(own ? {} : ({ pattern } as object)),
  }
}

function numberKind(schema: JsonObject): FieldKind {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as {
    [name: string]: number | undefined
  }
  const isInteger = (type as unknown) === 'integer'
  // A whole number above 0 is at least 1. Of other limits that do not count themselves, the server says so.
  const min = minimum ?? (exclusiveMinimum === undefined ? undefined : isInteger ? exclusiveMinimum + 1 : exclusiveMinimum)
  const max = maximum ?? (exclusiveMaximum === undefined ? undefined : isInteger ? exclusiveMaximum - 1 : exclusiveMaximum)
  const isSafe = (limit: number | undefined): boolean => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER
  return {
    type: 'number',
    ...(isInteger && { integer: true }),
    ...(isSafe(min) && { min: min as number }),
    ...(isSafe(max) && { max: max as number }),
    ...(multipleOf !== undefined && { step: multipleOf }),
  }
}

function listKind({ items }: JsonObject, root: JsonObject): FieldKind | undefined {
  if (!isObject(items)) return undefined
  const { schema } = plainSchema(items, root)
  const options = optionsOf(schema)
  if (options) return { type: 'choices', options }
  return schema.type === 'string' ? { type: 'list', help: 'One on each line' } : undefined
}

/** Returns the values of a schema that lists them. */
function optionsOf({ enum: values, anyOf, oneOf }: JsonObject): readonly OptionSpec[] | undefined {
  if (Array.isArray(values)) return toOptions(values.map((value) => ({ const: value })))
  const list = oneOf ?? anyOf
  if (!Array.isArray(list) || list.length === 0) return undefined
  return list.every((one) => isObject(one) && 'const' in one) ? toOptions(list) : undefined
}

function toOptions(list: readonly JsonObject[]): readonly OptionSpec[] | undefined {
  const options = list.map(({ const: value, title }) => ({
    value,
    title: typeof title === 'string' ? title : titleOfOption(value),
  }))
  const isKnown = ({ value }: { readonly value: unknown }): boolean => ['string', 'number', 'boolean'].includes(typeof value)
  return options.every(isKnown) ? (options as readonly OptionSpec[]) : undefined
}

const titleOfOption = (value: unknown): string =>
  typeof value === 'string' && /^[a-z][a-z\d_-]*$/.test(value) ? titleOf(value) : String(value)
