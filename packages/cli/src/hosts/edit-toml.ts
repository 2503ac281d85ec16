import { parse, patch } from '@decimalturn/toml-patch'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import type { ConfigEditor, EntryLocation } from './editor.ts'

/** Edits TOML. Appends new tables at the end, where people write them. */
export const tomlEditor: ConfigEditor = {
  read: async (text, location) => serversOf(parse(text), location)[location.name],
  async put(text, location, entry) {
    const root = parse(text)
    const servers = serversOf(root, location)
    if (!Object.hasOwn(servers, location.name)) {
      const appended = appendTable(text, location, entry)
      if (isValid(appended)) return appended
    }
    return patch(text, { ...root, [location.key]: { ...servers, [location.name]: entry } })
  },
  async remove(text, { key, name }) {
    const root = parse(text)
    const { [name]: entry, ...others } = serversOf(root, { key, name })
    if (entry === undefined) return text
    const { [key]: _servers, ...rest } = root
    return patch(text, Object.keys(others).length > 0 ? { ...rest, [key]: others } : rest)
  },
}

function serversOf(root: JsonObject, { key }: EntryLocation): JsonObject {
  const servers = root[key]
  return isObject(servers) ? servers : {}
}

function isValid(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

function appendTable(text: string, { key, name }: EntryLocation, entry: object): string {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n'
  const before = text === '' || text.endsWith('\n') ? text : text + lineBreak
  const separator = before === '' ? '' : lineBreak
  const lines = Object.entries(entry).map(([field, value]) => `${keyOf(field)} = ${literal(value)}`)
  return before + separator + [`[${key}.${keyOf(name)}]`, ...lines, ''].join(lineBreak)
}

function keyOf(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : literal(name)
}

/** Returns a TOML literal. A JSON string is a valid TOML string, except for U+007F. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => `${keyOf(name)} = ${literal(member)}`)
    return `{ ${members.join(', ')} }`
  }
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
