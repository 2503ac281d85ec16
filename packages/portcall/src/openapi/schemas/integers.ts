/**
 * Integers of 64 bits. JavaScript, and with it most hosts, reads JSON numbers beyond 2^53 as others. In arguments and results, such integers may
 * therefore be strings of digits.
 */

import { reachable } from '../../../../util/src/parts.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { ToolError } from '../../server/errors.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'

const FORMATS: readonly unknown[] = ['int64', 'uint64']
const DIGITS = /^-?(?:0|[1-9][0-9]{0,19})$/

/** Marks converted schemas that accept digits. */
const DIGITS_FORMAT = 'int64'

/** Returns the members that let a schema of OpenAPI accept digits, or nothing if its integers are small. */
export function digitsOf(schema: JsonObject): JsonObject | undefined {
  const { type, format, maximum, minimum, enum: values } = schema
  const types = [type].flat()
  const isLarge = (limit: unknown): boolean => typeof limit === 'number' && Math.abs(limit) > Number.MAX_SAFE_INTEGER
  const is64 = maximum === undefined ? FORMATS.includes(format) : isLarge(maximum)
  if (!(is64 || isLarge(minimum)) || !types.includes('integer') || types.includes('string') || values !== undefined)
    return undefined
  return {
    type: [...types, 'string'],
    format: FORMATS.includes(format) ? format : DIGITS_FORMAT,
    pattern: digitsFrom(schema),
  }
}

const POSITIVE = '[1-9][0-9]{0,19}'

/** Returns the pattern of the digits of integers from the minimum of a schema on: zero or a sign are left out where they are too small. */
function digitsFrom({ format, minimum, exclusiveMinimum }: JsonObject): string {
  const excluded = exclusiveMinimum === true ? minimum : exclusiveMinimum
  const least = Math.max(
    format === 'uint64' ? 0 : Number.NEGATIVE_INFINITY,
    typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY,
    typeof excluded === 'number' ? Math.floor(excluded) + 1 : Number.NEGATIVE_INFINITY,
  )
  if (least > 0) return `^${POSITIVE}$`
  return `^${least === 0 ? '' : '-?'}(0|${POSITIVE})$`
}

/** Reports whether a converted schema accepts an integer as digits. */
function acceptsDigits({ type, format }: JsonObject): boolean {
  return FORMATS.includes(format) && Array.isArray(type) && type.includes('integer') && type.includes('string')
}

/** Returns the schemas that apply to a value: a schema, what it refers to, and its parts and branches. */
function applicable(schema: unknown, root: JsonObject): readonly JsonObject[] {
  const definitions = objectOrEmpty(root.$defs)
  const partsOf = ({ $ref, allOf, anyOf }: JsonObject): JsonObject[] => {
    const target = typeof $ref === 'string' ? definitions[$ref.slice('#/$defs/'.length)] : undefined
    return [target, ...arrayOrEmpty(allOf), ...arrayOrEmpty(anyOf)].filter(isObject)
  }
  return isObject(schema) ? reachable(schema, partsOf) : []
}

interface Walk {
  readonly root: JsonObject
  /** Returns what replaces a string of digits where an integer is described. */
  readonly integer: (digits: string) => unknown
}

/** A place in the arguments. */
interface Place {
  readonly schemas: readonly JsonObject[]
  readonly path: string
}

function walk(value: unknown, { schemas, path }: Place, context: Walk): unknown {
  const below = (parts: readonly unknown[]): JsonObject[] => [...new Set(parts.flatMap((part) => applicable(part, context.root)))]
  if (typeof value === 'number') return checkNumber(value, schemas, path)
  if (typeof value === 'string') return DIGITS.test(value) && isInteger(schemas) ? context.integer(value) : value
  if (Array.isArray(value))
    return value.map((item, index) => {
      const parts = schemas.map(({ items, prefixItems }) => (Array.isArray(prefixItems) ? (prefixItems[index] ?? items) : items))
      return walk(item, { schemas: below(parts), path: `${path}[${index}]` }, context)
    })
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, item]) => {
    const parts = schemas.map(({ properties, additionalProperties }) =>
      isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties,
    )
    return [name, walk(item, { schemas: below(parts), path: path === '' ? name : `${path}.${name}` }, context)]
  })
  return Object.fromEntries(entries)
}

function isInteger(schemas: readonly JsonObject[]): boolean {
  const isText = (schema: JsonObject): boolean => [schema.type].flat().includes('string') && !acceptsDigits(schema)
  return schemas.some(acceptsDigits) && !schemas.some(isText)
}

/** Integers of more than 64 bits are no ids; they are floating-point numbers. */
const MAX_UINT64 = 2 ** 64

/** @throws ToolError when an integer has lost digits on its way, or may have. */
function checkNumber(value: number, schemas: readonly JsonObject[], path: string): number {
  const types = schemas.flatMap(({ type }) => (type === undefined ? [] : type))
  const isFloat = types.includes('number') && !types.includes('integer')
  if (isFloat || !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) > MAX_UINT64) return value
  const advice = schemas.some(acceptsDigits)
    ? 'pass it as a string of digits'
    : 'the description of the API does not say that it is one of 64 bits'
  throw new ToolError(`${path}: ${value} is larger than 2^53, and JSON numbers of this size lose digits in JavaScript; ${advice}`)
}

/** @throws ToolError when an argument has an integer beyond 2^53 as a number. It may be another one than the model chose. */
export function checkIntegers(args: JsonObject, inputSchema: JsonObject): void {
  walk(args, { schemas: applicable(inputSchema, inputSchema), path: '' }, { root: inputSchema, integer: (digits) => digits })
}

/** Returns the JSON of the value of an argument. Digits become numbers where the schema describes integers. */
export function stringifyExactly(value: unknown, schema: JsonObject, root: JsonObject): string {
  if (!/"u?int64"/.test(JSON.stringify([schema, root.$defs ?? {}]))) return JSON.stringify(value)
  const mark = `integer ${crypto.randomUUID()} `
  const marked = walk(value, { schemas: applicable(schema, root), path: 'body' }, { root, integer: (digits) => mark + digits })
  return JSON.stringify(marked).replaceAll(new RegExp(`"${mark}(-?[0-9]+)"`, 'g'), '$1')
}

/** Parses JSON. Integers beyond 2^53 become strings, so that no digit is lost. @throws SyntaxError. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!/[0-9]{16}/.test(text)) return value
  const exact = text.replaceAll(/"(?:[^"\\]|\\.)*"?|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/g, (token) =>
    /^-?[0-9]{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  )
  return exact === text ? value : JSON.parse(exact)
}
