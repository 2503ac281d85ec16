/**
 * The JSON text of what a server has answered, which is passed on instead of being serialized again: for a large result, that takes more than a
 * quarter of the time of a call, and numbers that JavaScript cannot hold stay as they are.
 */
import { endOfValue, isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { hasUniqueNames } from '../policy/duplicate-members.ts'
import { setPartText } from './part-texts.ts'

/** A message, and the text that it was parsed from. */
interface Source {
  readonly message: JsonObject
  readonly result: JsonObject
  readonly text: string
}

/** The members of results that may be large, and that no revision changes unless it has to. */
const PARTS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'contents', 'messages'])
/** Shorter results are serialized faster than their texts are found. */
const MIN_LENGTH = 4096

const SOURCE = Symbol('source')

/** Parses a JSON text as `JSON.parse` does, and remembers the text of a large result. @throws SyntaxError. */
export function parseWithTexts(text: string): unknown {
  const message: unknown = JSON.parse(text)
  if (text.length < MIN_LENGTH || !isObject(message)) return message
  const { result } = message
  if (isObject(result))
    for (const part of partsOf(result))
      Object.defineProperty(part, SOURCE, { value: { message, result, text }, configurable: true })
  return message
}

/**
 * Lets the parts of a result be serialized as the texts that they arrived as. Nothing may change them afterwards. Parts that did not arrive in a
 * large result are left alone, and so is a result with members that occur twice, or with line breaks or white space around the parts.
 */
export function keepTexts(result: JsonObject): void {
  for (const part of partsOf(result)) {
    const source = (part as { readonly [SOURCE]?: Source })[SOURCE]
    if (!source) continue
    for (const [found, text] of textsOf(source)) setPartText(found, text)
    return
  }
}

function* partsOf(result: JsonObject): Generator<object> {
  for (const name of PARTS) {
    const value = result[name]
    if (typeof value === 'object' && value !== null) yield value
  }
}

/**
 * Finds the texts of the parts of a result: what stands between the texts of all else. Returns none if the message is not written as
 * `JSON.stringify` writes it, apart from these parts.
 */
function textsOf(source: Source): Array<[part: object, text: string]> {
  const { text } = source
  const found: Array<[object, string]> = []
  let at = 0
  for (const { before, part } of piecesOf(source)) {
    if (!text.startsWith(before, at)) return []
    at += before.length
    if (!part) break
    const end = endOfValue(text, at)
    const value = text.slice(at, end)
    if (value.includes('\n') || value.includes('\r') || !hasUniqueNames(part, value)) return []
    found.push([part, value])
    at = end
  }
  return text.slice(at).trim() === '' ? found : []
}

/** A part, and the text before it. The last piece has no part. */
interface Piece {
  readonly before: string
  readonly part?: object
}

/** Splits the text of a message before and after each part of its result. */
function piecesOf({ message, result }: Source): Piece[] {
  const pieces: Piece[] = []
  const parts = new Set(partsOf(result))
  let before = ''
  const write = (object: JsonObject): void => {
    let separator = '{'
    for (const [name, value] of Object.entries(object)) {
      before += `${separator}${JSON.stringify(name)}:`
      separator = ','
      if (object === message && value === result) write(result)
      else if (object === result && parts.has(value as object)) {
        pieces.push({ before, part: value as object })
        before = ''
      } else before += JSON.stringify(value)
    }
    before += '}'
  }
  write(message)
  return [...pieces, { before }]
}
