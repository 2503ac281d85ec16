import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { isString, isStrings } from '../../../util/src/strings.ts'
import type { ConnectionSettings, InspectorTarget } from '../protocol/servers.ts'
import { InspectorCommandError } from '../state/command-error.ts'

const isStringMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isString)

const TARGETS: { readonly [kind: string]: (target: JsonObject) => boolean } = {
  url: ({ url }) => isString(url) && /^https?:$/.test(parseUrl(url)?.protocol ?? ''),
  program: ({ command, args }) => isString(command) && command !== '' && isStrings(args),
  module: ({ path }) => isString(path) && path !== '',
  config: ({ path, name }) => isString(path) && isString(name),
}

/** Checks a target that the page sends. @throws InspectorCommandError */
export function checkInspectorTarget(target: unknown): InspectorTarget {
  const kind = isObject(target) ? target.kind : undefined
  const check = typeof kind === 'string' && Object.hasOwn(TARGETS, kind) ? TARGETS[kind] : undefined
  if (check?.(target as JsonObject)) return target as InspectorTarget
  throw new InspectorCommandError('INVALID_PARAMS', check ? `The ${String(kind)} is not valid` : 'The kind of target is unknown')
}

const isMs = (value: unknown): boolean => typeof value === 'number' && value > 0 && value <= 86_400_000

const SETTINGS: { readonly [Name in keyof Required<ConnectionSettings>]: (value: unknown) => boolean } = {
  revision: isString,
  era: (value) => value === 'modern' || value === 'legacy' || value === 'http+sse',
  headers: isStringMap,
  env: isStringMap,
  cwd: isString,
  connectTimeoutMs: isMs,
  probeTimeoutMs: isMs,
  requestTimeoutMs: isMs,
  totalTimeoutMs: isMs,
  logLevel: isString,
  declare: isObject,
  capabilities: isObject,
  roots: (value) => Array.isArray(value) && value.every((root) => isObject(root) && isString(root.uri)),
  signIn: (value) => typeof value === 'boolean',
}

/** Checks settings that the page sends. @throws InspectorCommandError that names the member. */
export function checkSettings(settings: unknown): ConnectionSettings {
  for (const [name, value] of Object.entries(settings as JsonObject)) {
    const check = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as keyof ConnectionSettings] : undefined
    if (value !== undefined && !check?.(value))
      throw new InspectorCommandError('INVALID_PARAMS', `The setting ${name} is not valid`)
  }
  return settings as ConnectionSettings
}
