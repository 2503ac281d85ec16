import type { JsonObject } from '../../jsonrpc.ts'
import { misused } from '../stop.ts'
import type { Pair } from './pair.ts'
import { propertyOf, typesOf } from './types.ts'

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/**
 * Makes an object of the arguments of a command line. A text becomes what its schema wants, if it can be read as that; several texts of one
 * name, or one where a list is wanted, become a list. What does not fit stays text, for the check to name it.
 *
 * @throws Stop for what is no JSON, or was given twice.
 */
export function assemble(pairs: readonly Pair[], schema: JsonObject = {}): JsonObject {
  const whole: JsonObject = Object.assign({}, ...pairs.filter((pair) => pair.kind === 'all').map(({ text }) => readObject(text)))
  const entries = new Map<string, unknown>(Object.entries(whole))
  const named = new Set<string>()
  for (const pair of pairs) {
    if (pair.kind === 'all') continue
    const { name } = pair
    const isList = pair.kind === 'text' && typesOf(propertyOf(schema, name), schema).has('array')
    if (named.has(name) && !isList) throw misused(`the argument ${name} was given twice`)
    const before = named.has(name) ? (entries.get(name) as unknown[]) : []
    named.add(name)
    entries.set(name, isList ? [...before, readItem(pair.text, name, schema)] : readValue(pair, schema))
  }
  return Object.fromEntries(entries)
}

function readValue({ kind, name, text }: Exclude<Pair, { kind: 'all' }>, schema: JsonObject): unknown {
  return kind === 'json' ? readJson(text, name) : coerce(text, typesOf(propertyOf(schema, name), schema))
}

function readItem(text: string, name: string, schema: JsonObject): unknown {
  return coerce(text, typesOf(propertyOf(schema, name)?.items, schema))
}

/** Reads a text as the first of these types that it can be; text that may be text stays what it is. */
export function coerce(text: string, types: ReadonlySet<string>): unknown {
  if (types.has('string')) return text
  if ((types.has('number') || types.has('integer')) && NUMBER.test(text)) return Number(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.has('null') && text === 'null') return null
  return text
}

function readJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw misused(`${name} is no JSON: ${text.slice(0, 60)}`, `for text write ${name}=…`)
  }
}

function readObject(text: string): JsonObject {
  const value = readJson(text, '@')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw misused('what @ names has to hold a JSON object')
}
