import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'

/*
 * Programs disagree about which member they read if two have the same name. A gateway refuses such requests: the policies would decide about one
 * value, and the server or a proxy would read another one.
 */

const QUOTE = '"'
const COLON = 58
const BACKSLASH = 92
const SPACE = 32

/** Parses JSON. @throws SyntaxError; RpcError -32600 if an object has several members with the same name. */
export function parseUniqueNames(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const members = countMembers(value)
  // Hardly any request has a colon elsewhere.
  if (countColons(text) === members || countWrittenMembers(text) === members) return value
  throw new RpcError(ErrorCode.invalidRequest, 'Invalid request: an object has several members with the same name')
}

/** Counts the colons, of which a JSON text has at least one for each member. */
function countColons(text: string): number {
  let colons = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) colons++
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
  else for (const member of Object.values(value)) members += 1 + countMembers(member)
  return members
}
