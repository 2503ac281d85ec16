import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { APPS_EXTENSION, APPS_EXTENSION_ALIAS } from './apps.ts'
import type { ClientCapabilities, ServerCapabilities } from './types.ts'

/** Former ids of extensions. */
const EXTENSION_ALIASES: { readonly [alias: string]: string } = { [APPS_EXTENSION_ALIAS]: APPS_EXTENSION }

/**
 * Reads the capabilities of a client leniently: `true` counts as `{}`, `null` and `false` as absent, and `elicitation` without modes as form
 * mode. Unknown keys are omitted.
 */
export function readClientCapabilities(raw: unknown): ClientCapabilities {
  const declared = readObjects(raw)
  const capabilities: ClientCapabilities = {}
  if (declared.elicitation) capabilities.elicitation = readModes(declared.elicitation)
  if (declared.sampling) capabilities.sampling = pick(readObjects(declared.sampling), ['context', 'tools'])
  if (declared.roots) capabilities.roots = {}
  if (declared.extensions) capabilities.extensions = readExtensions(declared.extensions)
  if (declared.experimental) capabilities.experimental = readObjects(declared.experimental)
  return capabilities
}

/** Reads the capabilities of a server, as leniently as `readClientCapabilities`. */
export function readServerCapabilities(raw: unknown): ServerCapabilities {
  const declared = readObjects(raw)
  const capabilities: ServerCapabilities = {}
  if (declared.tools) capabilities.tools = readFlags(declared.tools, ['listChanged'])
  if (declared.resources) capabilities.resources = readFlags(declared.resources, ['listChanged', 'subscribe'])
  if (declared.prompts) capabilities.prompts = readFlags(declared.prompts, ['listChanged'])
  if (declared.completions) capabilities.completions = declared.completions
  if (declared.logging) capabilities.logging = declared.logging
  if (declared.extensions) capabilities.extensions = readExtensions(declared.extensions)
  if (declared.experimental) capabilities.experimental = readObjects(declared.experimental)
  return capabilities
}

function readFlags<K extends string>(raw: JsonObject, keys: readonly K[]): { [key in K]?: boolean } {
  const declared = readObjects(raw)
  const flags: { [key in K]?: boolean } = {}
  for (const key of keys) if (declared[key]) flags[key] = true
  return flags
}

function readModes(raw: JsonObject): NonNullable<ClientCapabilities['elicitation']> {
  const modes = pick(readObjects(raw), ['form', 'url'])
  return modes.form || modes.url ? modes : { form: {} }
}

function readExtensions(raw: JsonObject): { [id: string]: JsonObject } {
  const extensions = readObjects(raw)
  for (const [alias, id] of Object.entries(EXTENSION_ALIASES)) {
    const settings = extensions[alias]
    if (settings) extensions[id] ??= settings
  }
  return extensions
}

/** Returns the members that are objects. `true` counts as an empty object. */
function readObjects(raw: unknown): { [key: string]: JsonObject } {
  if (!isObject(raw)) return {}
  const entries = Object.entries(raw).map(([key, value]) => [key, value === true ? {} : value] as const)
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, JsonObject] => isObject(entry[1])))
}

function pick<K extends string>(object: { [key: string]: JsonObject }, keys: readonly K[]): { [key in K]?: JsonObject } {
  const picked: { [key in K]?: JsonObject } = {}
  for (const key of keys) if (object[key]) picked[key] = object[key]
  return picked
}
