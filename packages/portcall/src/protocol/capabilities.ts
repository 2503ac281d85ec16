import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { ClientCapabilities, ServerCapabilities } from './types.ts'

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

/** Reads what a server declares, just as liberally. */
export function readServerCapabilities(raw: unknown): ServerCapabilities {
  const declared = flags(raw)
  const capabilities: ServerCapabilities = {}
  if (declared.tools) capabilities.tools = readChanges(declared.tools, ['listChanged'])
  if (declared.resources) capabilities.resources = readChanges(declared.resources, ['listChanged', 'subscribe'])
  if (declared.prompts) capabilities.prompts = readChanges(declared.prompts, ['listChanged'])
  if (declared.completions) capabilities.completions = declared.completions
  if (declared.logging) capabilities.logging = declared.logging
  if (declared.extensions) capabilities.extensions = readExtensions(declared.extensions)
  if (declared.experimental) capabilities.experimental = flags(declared.experimental)
  return capabilities
}

function readChanges<K extends string>(raw: JsonObject, keys: readonly K[]): { [key in K]?: boolean } {
  const declared = flags(raw)
  const changes: { [key in K]?: boolean } = {}
  for (const key of keys) if (declared[key]) changes[key] = true
  return changes
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
