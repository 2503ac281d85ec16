import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { ClientCapabilities } from './types.ts'

/** Names under which an extension was known before it got its own. */
const EXTENSION_ALIASES: { readonly [alias: string]: string } = { 'io.modelcontextprotocol/apps': 'io.modelcontextprotocol/ui' }

/**
 * Reads what a client declares, liberally: `true` stands for `{}`, `null` and `false` for nothing, an `elicitation` without modes for
 * forms. Keys that are not capabilities of a client are left out.
 */
export function readClientCapabilities(raw: unknown): ClientCapabilities {
  const declared = flags(raw)
  const capabilities: ClientCapabilities = {}
  if (declared.elicitation) capabilities.elicitation = readModes(declared.elicitation)
  if (declared.sampling) capabilities.sampling = pick(flags(declared.sampling), ['context', 'tools'])
  if (declared.roots) capabilities.roots = {}
  if (declared.extensions) capabilities.extensions = readExtensions(declared.extensions)
  if (declared.experimental) capabilities.experimental = flags(declared.experimental)
  return capabilities
}

function readModes(raw: JsonObject): NonNullable<ClientCapabilities['elicitation']> {
  const modes = pick(flags(raw), ['form', 'url'])
  return modes.form || modes.url ? modes : { form: {} }
}

function readExtensions(raw: JsonObject): { [id: string]: JsonObject } {
  const extensions = flags(raw)
  for (const [alias, id] of Object.entries(EXTENSION_ALIASES)) {
    const settings = extensions[alias]
    if (settings) extensions[id] ??= settings
  }
  return extensions
}

function flags(raw: unknown): { [key: string]: JsonObject } {
  if (!isObject(raw)) return {}
  const entries = Object.entries(raw).map(([key, value]) => [key, value === true ? {} : value] as const)
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, JsonObject] => isObject(entry[1])))
}

function pick<K extends string>(object: { [key: string]: JsonObject }, keys: readonly K[]): { [key in K]?: JsonObject } {
  const picked: { [key in K]?: JsonObject } = {}
  for (const key of keys) if (object[key]) picked[key] = object[key]
  return picked
}
