import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import { compileSchema, type Issue } from 'portcall/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { closestName } from '../../util/src/closest-name.ts'
import { CliError, unreadable, usageError } from './cli-error.ts'
import { propertyOf, typesOf } from './schema-types.ts'

/** A tool argument as written on the command line. */
export type Argument =
  /** `name=text`, converted to the type that the schema requires. */
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  /** `name:=json`. */
  | { readonly kind: 'json'; readonly name: string; readonly text: string }
  /** `@file`: a JSON object with several arguments. */
  | { readonly kind: 'object'; readonly text: string }

/**
 * Reads arguments: `name=text`, `name:=json` or `@file`. A value that starts with `@` is read from that file, `@-` from stdin.
 *
 * @throws CliError when an argument has none of these forms, or a file cannot be read.
 */
export function readArguments(words: readonly string[]): Promise<Argument[]> {
  return Promise.all(words.map(readArgument))
}

async function readArgument(word: string): Promise<Argument> {
  if (word.startsWith('@')) return { kind: 'object', text: await readInput(word.slice(1)) }
  const hint = 'write name=text, name:=json or @file'
  const at = word.indexOf('=')
  if (at < 1) throw usageError(`${JSON.stringify(word)} is not an argument`, hint)
  const isJson = word[at - 1] === ':'
  const name = word.slice(0, isJson ? at - 1 : at)
  if (name === '') throw usageError(`${JSON.stringify(word)} has no argument name`, hint)
  const value = word.slice(at + 1)
  const text = value.startsWith('@') ? await readInput(value.slice(1)) : value
  return { kind: isJson ? 'json' : 'text', name, text }
}

let stdin: Promise<string> | undefined

/** Reads a file, or stdin for `-`; stdin may be used more than once. @throws CliError if the file cannot be read. */
export async function readInput(path: string): Promise<string> {
  if (path === '-') return (stdin ??= readText(process.stdin))
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw unreadable(path, error)
  }
}

/**
 * Combines arguments into an object. A text is converted to the type that the schema requires, if possible. Where the schema requires an
 * array, the texts of the same name are its items. A text that cannot be converted stays a string, and fails validation later.
 *
 * @throws CliError for invalid JSON, and for an argument that is set twice.
 */
export function buildArguments(args: readonly Argument[], schema: JsonObject = {}): JsonObject {
  const objects = args.filter((arg) => arg.kind === 'object').map(({ text }) => parseObject(text))
  const entries = new Map<string, unknown>(Object.entries(Object.assign({}, ...objects)))
  const names = new Set<string>()
  for (const arg of args) {
    if (arg.kind === 'object') continue
    const { name, text } = arg
    const property = propertyOf(schema, name)
    const isItem = arg.kind === 'text' && typesOf(property, schema).has('array')
    if (names.has(name) && !isItem) throw usageError(`the argument ${name} is set twice`)
    const items = names.has(name) ? (entries.get(name) as unknown[]) : []
    names.add(name)
    if (isItem) entries.set(name, [...items, convert(text, typesOf(property?.items, schema))])
    else entries.set(name, arg.kind === 'json' ? parseJson(text, name) : convert(text, typesOf(property, schema)))
  }
  return Object.fromEntries(entries)
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Converts a text to the first of the types that it can represent. A text that may be a string is not converted. */
export function convert(text: string, types: ReadonlySet<string>): unknown {
  if (types.has('string')) return text
  if ((types.has('number') || types.has('integer')) && NUMBER.test(text)) return Number(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.has('null') && text === 'null') return null
  return text
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(`${name} is not valid JSON: ${text.slice(0, 60)}`, `for a string, write ${name}=text`)
  }
}

function parseObject(text: string): JsonObject {
  const value = parseJson(text, '@')
  if (isObject(value)) return value
  throw usageError('the file after @ must contain a JSON object with the arguments')
}

/**
 * Validates arguments against the schema of a tool. A schema that cannot be compiled is ignored: the server validates in any case.
 *
 * @throws CliError that names each invalid field.
 */
export async function validateArguments(args: JsonObject, schema: JsonObject, toolName: string): Promise<void> {
  const issues = await findIssues(args, schema)
  if (issues.length === 0) return
  const messages = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  throw new CliError('usage', `invalid arguments for ${toolName}: ${messages.join('; ')}`, {
    code: 'INVALID_ARGUMENTS',
    hint: unknownNameHint(args, schema) ?? typeHint(issues, args, schema),
  })
}

async function findIssues(args: JsonObject, schema: JsonObject): Promise<readonly Issue[]> {
  try {
    return (await compileSchema(schema, 'input', { trusted: false }).parse(args)).issues ?? []
  } catch {
    return []
  }
}

/** Suggests the correct name if an argument is probably misspelled. */
function unknownNameHint(args: JsonObject, schema: JsonObject): string | undefined {
  const names = Object.keys(isObject(schema.properties) ? schema.properties : {})
  const unknown = Object.keys(args).find((name) => !names.includes(name))
  const closest = unknown === undefined ? undefined : closestName(unknown, names)
  return closest === undefined ? undefined : `${unknown} is unknown; did you mean ${closest}?`
}

/** Explains `:=` if a string was passed where another type is required. */
function typeHint(issues: readonly Issue[], args: JsonObject, { properties }: JsonObject): string | undefined {
  const name = issues[0]?.path[0]
  if (typeof name !== 'string' || typeof args[name] !== 'string') return undefined
  if (isObject(properties) && isObject(properties[name]) && properties[name].type === 'string') return undefined
  return `for values other than strings, write ${name}:=JSON`
}
