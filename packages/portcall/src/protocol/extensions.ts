import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { missingClientCapability } from './errors.ts'
import { METHODS } from './methods.ts'
import type { ClientCapabilities } from './types.ts'

/** The properties of an extension that both sides declare. https://modelcontextprotocol.io/extensions */
export interface ExtensionInfo {
  /** The id, with a prefix: `com.example/shout`. An incompatible change of the extension requires a new id. */
  readonly id: string
  /** The settings to declare. Default: `{}`. */
  readonly settings?: JsonObject
  /** True to declare the extension to peers of legacy revisions too. Default: true. */
  readonly legacy?: boolean
}

/** The members that extensions add to a server or a client. */
export type ExtensionApis<E extends readonly { readonly name?: string }[]> = {
  readonly [X in E[number] as NameOf<X>]: ApiOf<X>
}
type NameOf<X> = X extends { readonly name?: infer N extends string } ? (string extends N ? never : N) : never
type ApiOf<X> = X extends { install(...args: never): infer Api } ? Api : never

/** The extensions that one side declares, by id. */
export type DeclaredExtensions = { [id: string]: JsonObject }

/** Marks the settings of an extension that is not declared to legacy peers. JSON omits it. */
const MODERN_ONLY: unique symbol = Symbol('modern only')

/** Returns the settings that a side declares for an extension. */
export function declaredSettings({ settings = {}, legacy }: ExtensionInfo): JsonObject {
  return legacy === false ? { ...settings, [MODERN_ONLY]: true } : settings
}

/** Returns the declared extensions without those that `own` does not declare to legacy peers. */
export function legacyExtensions(declared: DeclaredExtensions, own: DeclaredExtensions = declared): DeclaredExtensions {
  return Object.fromEntries(Object.entries(declared).filter(([id]) => !(own[id] && MODERN_ONLY in own[id])))
}

/** Returns the settings that a client declares for an extension. @throws RpcError -32021 if the client does not declare it. */
export function requireExtension(id: string, { extensions }: ClientCapabilities): JsonObject {
  const settings = extensions?.[id]
  if (!isObject(settings)) throw missingClientCapability({ extensions: { [id]: {} } })
  return settings
}

const PREFIX = /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]*[a-z0-9])?)*$/i
const NAME = /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i

function checkId(id: string, installed: ReadonlySet<string>): void {
  const [prefix = '', name = '', ...rest] = id.split('/')
  if (!PREFIX.test(prefix) || !NAME.test(name) || rest.length > 0)
    throw new TypeError(`${JSON.stringify(id)} is not a valid extension id: use the form com.example/name`)
  if (installed.has(id)) throw new TypeError(`The extension ${id} is installed twice`)
}

/** Checks the name of an extension's method. @throws TypeError if the protocol or another extension defines it. */
export function checkMethod(id: string, method: string, taken: { has(method: string): boolean }): void {
  if (METHODS.has(method) || method.startsWith('notifications/'))
    throw new TypeError(`The extension ${id} cannot define the method ${method}: it belongs to the protocol`)
  if (method === '' || taken.has(method))
    throw new TypeError(`The extension ${id} cannot define the method ${JSON.stringify(method)}: it is empty or already defined`)
}

/** The server or client that extensions are installed in, with the ids of its extensions. */
export interface InstallTarget {
  readonly target: object
  readonly ids: Set<string>
}

/**
 * Installs an extension, and adds the API that `install` returns to the target under the extension's name.
 *
 * @throws TypeError if the id is invalid, or if the id or the name is in use.
 */
export function installExtension<Api>(
  { id, name }: ExtensionInfo & { readonly name?: string },
  { target, ids }: InstallTarget,
  install: () => Api,
): Api {
  checkId(id, ids)
  ids.add(id)
  const api = install()
  if (name === undefined) return api
  if (name === '' || name in target)
    throw new TypeError(`The extension ${id} cannot be named ${JSON.stringify(name)}: the name is in use`)
  Object.defineProperty(target, name, { value: api, enumerable: true })
  return api
}
