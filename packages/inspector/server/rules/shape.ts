import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { pointerSegment } from '../../../portcall/src/diagnostics/compare/json-diff.ts'
import { withArticle } from '../../../util/src/pluralize.ts'

/** The members of an object, by name. `?` at the end marks optional ones. */
export type Members = { readonly [name: string]: Shape }

/**
 * The shape of a value: its type, the words that it has to be one of, the shape of each item, of each member, of one or several values, or of
 * a value that may be null, the named members, or the members by the value of one of them. `id` is a string or an integer, `any` every value that is there.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'object'
  | 'array'
  | 'id'
  | 'any'
  | { readonly words: readonly string[] }
  | { readonly items: Shape }
  | { readonly each: Shape }
  | { readonly oneOrMany: Shape }
  | { readonly orNull: Shape }
  | { readonly members: Members }
  | Variants

/** Members that depend on the value of one of them. */
interface Variants {
  readonly by: string
  readonly cases: { readonly [value: string]: Members }
  /** The value of a missing member. Default: it must not be missing. */
  readonly otherwise?: string
  /** True if a value without a case is reported. */
  readonly isClosed?: boolean
}

export const members = (shape: Members): Shape => ({ members: shape })
export const list = (shape: Shape): Shape => ({ items: shape })
export const words = (...values: readonly string[]): Shape => ({ words: values })

/** A mismatch with a shape. */
export interface ShapeFault {
  readonly pointer: string
  readonly message: string
}

const MAX_FAULTS = 10

/** Lists the members that are missing or have another type. */
export function checkShape(value: unknown, shape: Shape, pointer = ''): ShapeFault[] {
  const faults: ShapeFault[] = []
  collect(value, shape, { pointer, faults })
  return faults.slice(0, MAX_FAULTS)
}

interface Position {
  readonly pointer: string
  readonly faults: ShapeFault[]
}

function collect(value: unknown, shape: Shape, position: Position): void {
  if (typeof shape === 'object' && 'oneOrMany' in shape)
    return collect(value, Array.isArray(value) ? list(shape.oneOrMany) : shape.oneOrMany, position)
  if (typeof shape === 'object' && 'orNull' in shape) return value === null ? undefined : collect(value, shape.orNull, position)
  const { pointer, faults } = position
  const expected = expectedType(shape)
  if (!fits(value, expected)) {
    const message = value === undefined ? 'is missing' : `must be ${article(expected)}, not ${article(typeOf(value))}`
    faults.push({ pointer, message })
  } else if (typeof shape === 'object') collectInside(value, shape, position)
}

function collectInside(value: unknown, shape: Exclude<Shape, string>, position: Position): void {
  const { pointer, faults } = position
  if ('words' in shape) {
    if (!shape.words.includes(value as string)) faults.push({ pointer, message: `must be ${alternatives(shape.words)}` })
  } else if ('items' in shape) {
    for (const [index, item] of (value as unknown[]).entries())
      collect(item, shape.items, { pointer: `${pointer}/${index}`, faults })
  } else if ('each' in shape) {
    for (const [name, member] of Object.entries(value as JsonObject)) collect(member, shape.each, at(position, name))
  } else if ('members' in shape) collectMembers(value as JsonObject, shape.members, position)
  else if ('by' in shape) collectVariant(value as JsonObject, shape, position)
}

function collectMembers(value: JsonObject, shapes: Members, position: Position): void {
  for (const [key, member] of Object.entries(shapes)) {
    const name = key.replace(/\?$/, '')
    const found = value[name]
    if (found === undefined && name !== key) continue
    collect(found, member, at(position, name))
  }
}

function collectVariant(value: JsonObject, { by, cases, otherwise, isClosed }: Variants, position: Position): void {
  const selected = value[by] ?? otherwise
  const known = typeof selected === 'string' && Object.hasOwn(cases, selected) ? cases[selected] : undefined
  const isRefused = isClosed && !known && value[by] !== undefined
  collectMembers(
    value,
    { [otherwise === undefined ? by : `${by}?`]: isRefused ? words(...Object.keys(cases)) : 'string' },
    position,
  )
  if (known) collectMembers(value, known, position)
}

const at = ({ pointer, faults }: Position, name: string): Position => ({ pointer: `${pointer}/${pointerSegment(name)}`, faults })

/** The type of JSON of values with a shape. */
type JsonType = Exclude<Shape, object>

function expectedType(shape: Shape): JsonType {
  if (typeof shape === 'string') return shape
  if ('words' in shape) return 'string'
  return 'items' in shape ? 'array' : 'object'
}

function fits(value: unknown, expected: JsonType): boolean {
  switch (expected) {
    case 'any':
      return value !== undefined
    case 'id':
      return typeof value === 'string' || Number.isInteger(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeOf(value) === expected
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return isObject(value) ? 'object' : typeof value
}

function article(type: string): string {
  if (type === 'id') return 'a string or an integer'
  return type === 'null' || type === 'undefined' ? type : withArticle(type)
}

const alternatives = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(' or ')
