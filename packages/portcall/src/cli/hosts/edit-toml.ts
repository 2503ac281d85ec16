import { parse, patch } from '@decimalturn/toml-patch'
import { isObject, type JsonObject } from '../../jsonrpc.ts'
import type { Editor, Place } from './edit.ts'

/** TOML: new tables come last, as people write them. */
export const tomlEditor: Editor = {
  read: async (text, place) => serversOf(parse(text), place)[place.name],
  async put(text, place, entry) {
    const root = parse(text)
    if (!Object.hasOwn(serversOf(root, place), place.name)) {
      const longer = append(text, place, entry)
      if (isToml(longer)) return longer
    }
    return patch(text, { ...root, [place.key]: { ...serversOf(root, place), [place.name]: entry } })
  },
  async remove(text, place) {
    const root = parse(text)
    const { [place.name]: found, ...others } = serversOf(root, place)
    if (found === undefined) return text
    const { [place.key]: _servers, ...rest } = root
    return patch(text, Object.keys(others).length > 0 ? { ...rest, [place.key]: others } : rest)
  },
}

function serversOf(root: JsonObject, { key }: Place): JsonObject {
  const servers = root[key]
  return isObject(servers) ? servers : {}
}

function isToml(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

function append(text: string, { key, name }: Place, entry: object): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = Object.entries(entry).map(([field, value]) => `${keyOf(field)} = ${literal(value)}`)
  const before = text === '' || text.endsWith('\n') ? text : text + eol
  return [...(before === '' ? [] : ['']), `[${key}.${keyOf(name)}]`, ...lines, ''].reduce(
    (all, line, at) => all + (at > 0 ? eol : '') + line,
    before,
  )
}

function keyOf(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : literal(name)
}

/** Strings as in JSON, which TOML reads alike but for one character. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (isObject(value))
    return `{ ${Object.entries(value)
      .map(([name, one]) => `${keyOf(name)} = ${literal(one)}`)
      .join(', ')} }`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
