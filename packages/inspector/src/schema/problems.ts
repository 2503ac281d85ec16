import { FORMAT_CHECKS, isFormat } from '../../../portcall/src/protocol/text-formats.ts'
import { type Field, fieldOf, type ObjectField } from './field.ts'
import { equalJson, isObject, numberOf, type Schema, textOf, typeOfValue } from './schema.ts'
import { type Path, variantOf } from './value.ts'

/** Something about a value that its schema does not allow. */
export interface Problem {
  /** Where in the value. */
  readonly path: Path
  /** The change that it needs. */
  readonly message: string
  /** True if nothing is there yet: no mistake before someone tries to send it. */
  readonly isMissing?: boolean
}

/** A value with its place and the schema that it should match. */
interface Place {
  readonly schema: Schema
  readonly root: Schema
  readonly path: Path
}

/**
 * Returns the problems of a value that a form can point at: what is missing, types, listed values, lengths and limits. It is advice:
 * the value can be sent all the same, and the server has the last word.
 */
export function problemsOf(value: unknown, schema: Schema, root: Schema = schema): Problem[] {
  return check(value, { schema, root, path: [] })
}

function check(value: unknown, place: Place): Problem[] {
  const field = fieldOf(place.schema, place.root)
  if (value === undefined) return []
  if (value === null && field.nullable) return []
  if (!EXPECTED[field.kind]?.includes(typeOfValue(value)) && Object.hasOwn(EXPECTED, field.kind))
    return [{ path: place.path, message: `must be ${NAMES[field.kind]}, not ${typeOfValue(value)}` }]
  return CHECKS[field.kind]?.(value, field, place) ?? []
}

const EXPECTED: { [kind: string]: readonly string[] } = {
  text: ['string'],
  file: ['string'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  object: ['object'],
  array: ['array'],
  choices: ['array'],
  null: ['null'],
}

const NAMES: { [kind: string]: string } = {
  text: 'text',
  file: 'text in base64',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  choices: 'a list',
  null: 'null',
}

const CHECKS: { [kind: string]: (value: unknown, field: Field, place: Place) => Problem[] } = {
  text: (value, { schema }, { path }) => {
    const text = String(value)
    const pattern = textOf(schema, 'pattern')
    return [
      ...limit([...text].length, [numberOf(schema, 'minLength'), numberOf(schema, 'maxLength')], 'characters'),
      ...(pattern !== undefined && !matches(pattern, text) ? [`must match ${pattern}`] : []),
      ...formatProblem(textOf(schema, 'format'), text),
    ].map((message) => ({ path, message }))
  },
  number: (value, { schema, kind, ...field }, { path }) => {
    const whole = 'integer' in field && field.integer && !Number.isInteger(value) ? ['must be a whole number'] : []
    const step = numberOf(schema, 'multipleOf')
    const off =
      step && Math.abs(Number(value) / step - Math.round(Number(value) / step)) > 1e-9 ? [`must be a multiple of ${step}`] : []
    return [...whole, ...off, ...range(Number(value), schema)].map((message) => ({ path, message }))
  },
  choice: (value, field, { path }) =>
    field.kind === 'choice' && !field.options.some((option) => equalJson(option.value, value))
      ? [{ path, message: `must be one of ${field.options.map(({ label }) => label).join(', ')}` }]
      : [],
  object: (value, field, place) => (field.kind === 'object' && isObject(value) ? checkMembers(value, field, place) : []),
  array: (value, field, { path, root }) => {
    if (field.kind !== 'array' || !Array.isArray(value)) return []
    const { schema, prefix, items } = field
    const count = limit(value.length, [numberOf(schema, 'minItems'), numberOf(schema, 'maxItems')], 'items')
    const own = value.flatMap((item, index) =>
      check(item, { schema: prefix[index] ?? items ?? true, root, path: [...path, index] }),
    )
    return [...count.map((message) => ({ path, message, ...(value.length === 0 && { isMissing: true }) })), ...own]
  },
  variants: (value, field, place) => {
    if (field.kind !== 'variants') return []
    const variant = field.variants[variantOf(field.variants, value, place.root)]
    return variant
      ? check(value, { ...place, schema: variant.schema })
      : [{ path: place.path, message: 'fits none of the alternatives' }]
  },
}

function checkMembers(value: { [member: string]: unknown }, field: ObjectField, { path, root }: Place): Problem[] {
  const listed = field.members.flatMap(({ name, schema, required }): Problem[] => {
    if (!Object.hasOwn(value, name)) return required ? [{ path: [...path, name], message: 'is required', isMissing: true }] : []
    return check(value[name], { schema, root, path: [...path, name] })
  })
  const names = new Set(field.members.map(({ name }) => name))
  const others = Object.keys(value).filter((name) => !names.has(name))
  const forbidden = field.schema['additionalProperties'] === false && !('patternProperties' in field.schema)
  const unlisted = others.flatMap((name): Problem[] => {
    if (forbidden) return [{ path: [...path, name], message: 'is not in the schema' }]
    return field.additional === undefined ? [] : check(value[name], { schema: field.additional, root, path: [...path, name] })
  })
  return [...listed, ...unlisted]
}

function formatProblem(format: string | undefined, text: string): string[] {
  return isFormat(format) && !FORMAT_CHECKS[format](text) ? [`expected format ${format}`] : []
}

function limit(size: number, [least, most]: [number | undefined, number | undefined], what: string): string[] {
  if (least !== undefined && size < least) return [`must have at least ${least} ${what}`]
  return most !== undefined && size > most ? [`must have at most ${most} ${what}`] : []
}

function range(value: number, schema: { readonly [keyword: string]: unknown }): string[] {
  const [min, max] = [numberOf(schema, 'minimum'), numberOf(schema, 'maximum')]
  const [above, below] = [numberOf(schema, 'exclusiveMinimum'), numberOf(schema, 'exclusiveMaximum')]
  return [
    ...(min !== undefined && value < min ? [`must be at least ${min}`] : []),
    ...(max !== undefined && value > max ? [`must be at most ${max}`] : []),
    ...(above !== undefined && value <= above ? [`must be more than ${above}`] : []),
    ...(below !== undefined && value >= below ? [`must be less than ${below}`] : []),
  ]
}

/** Longer patterns and values are left to the server, because a pattern of a stranger may take forever. */
const MAX_PATTERN = 200
const MAX_TEXT = 1000
const NESTED_REPEAT = /[+*}][^)]*\)[+*{]/

function matches(pattern: string, text: string): boolean {
  if (pattern.length > MAX_PATTERN || text.length > MAX_TEXT || NESTED_REPEAT.test(pattern)) return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
