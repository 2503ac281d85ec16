import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'

/*
 * Programs disagree about which member they read if two have the same name. A gateway refuses such requests: the policies would decide about one
 * value, and the server or a proxy would read another one. From such a result, it passes on what it has read itself.
 */

const QUOTE = '"'
const COLON = 58
const BACKSLASH = 92
const SPACE = 32

/** Parses JSON. @throws SyntaxError; RpcError -32600 if an object has several members with the same name. */
export function parseUniqueNames(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (hasUniqueNames(value, text)) return value
  throw new RpcError(ErrorCode.invalidRequest, 'Invalid request: an object has several members with the same name')
}

/** Reports whether a value has all members of the JSON text that it was parsed from: there are fewer if some have the same name. */
export function hasUniqueNames(value: unknown, text: string): boolean {
  const members = countMembers(value)
  // Hardly any string starts with a colon.
  return countColonsAfterQuotes(text) === members || countWrittenMembers(text) === members
}

/** Counts the colons after a quotation mark that is not escaped: there is one for each member, and one for each string that starts with a colon, or with white space and a colon. */
function countColonsAfterQuotes(text: string): number {
  let colons = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) <= SPACE) before--
    if (text[before] === QUOTE && !isEscaped(text, before)) colons++
  }
  return colons
}

/** Counts the members in valid JSON: the strings that a colon follows. */
function countWrittenMembers(text: string): number {
  let members = 0
  for (let at = text.indexOf(QUOTE); at >= 0; at = text.indexOf(QUOTE, at + 1)) {
    at = text.indexOf(QUOTE, at + 1)
    while (isEscaped(text, at)) at = text.indexOf(QUOTE, at + 1)
    let next = at + 1
    while (text.charCodeAt(next) <= SPACE) next++
    if (text.charCodeAt(next) === COLON) members++
  }
  return members
}

function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === BACKSLASH) start--
  return (at - start) % 2 === 1
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (Array.isArray(value)) for (const item of value) members += countMembers(item)
  // Several times faster than a list of the values.
  else for (const name in value) if (Object.hasOwn(value, name)) members += 1 + countMembers((value as JsonObject)[name])
  return members
}
