import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { missingClientCapability } from './errors.ts'
import { METHODS } from './methods.ts'
import type { ClientCapabilities } from './types.ts'

/** What both sides say about an extension that they speak. https://modelcontextprotocol.io/extensions */
export interface ExtensionHead {
  /** Its identifier, with a prefix: `com.example/shout`. What breaks older peers gets another one. */
  readonly id: string
  /** What is declared of it. Default: `{}`. */
  readonly settings?: JsonObject
  /** Whether peers of older revisions, which begin with a handshake, are told of it too. Default: true. */
  readonly legacy?: boolean
}

/** The members that extensions give a server, or a client. */
export type MembersOf<E extends readonly { readonly name?: string }[]> = {
  readonly [X in E[number] as NameOf<X>]: ApiOf<X>
}
type NameOf<X> = X extends { readonly name?: infer N extends string } ? (string extends N ? never : N) : never
type ApiOf<X> = X extends { join(...args: never): infer Api } ? Api : never

/** The extensions that one side declares, by id. */
export type DeclaredExtensions = { [id: string]: JsonObject }

/** Marks the settings of an extension that peers of older revisions are not told of; JSON never shows it. */
const MODERN_ONLY: unique symbol = Symbol('not for older revisions')

/** What one side declares of an extension. */
export function settingsOf({ settings = {}, legacy }: ExtensionHead): JsonObject {
  return legacy === false ? { ...settings, [MODERN_ONLY]: true } : settings
}

/** Leaves out, of what one side declares, what is only spoken with peers of the newest revision. */
export function legacyExtensions(declared: DeclaredExtensions, spoken: DeclaredExtensions = declared): DeclaredExtensions {
  return Object.fromEntries(Object.entries(declared).filter(([id]) => !(spoken[id] && MODERN_ONLY in spoken[id])))
}

/** What a caller declares of an extension. @throws RpcError -32021 when it does not. */
export function demandExtension(id: string, { extensions }: ClientCapabilities): JsonObject {
  const settings = extensions?.[id]
  if (!isObject(settings)) throw missingClientCapability({ extensions: { [id]: {} } })
  return settings
}

const PREFIX = /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]*[a-z0-9])?)*$/i
const NAME = /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i

function checkId(id: string, others: ReadonlySet<string>): void {
  const [prefix = '', name = '', ...rest] = id.split('/')
  if (!PREFIX.test(prefix) || !NAME.test(name) || rest.length > 0)
    throw new TypeError(`${JSON.stringify(id)} is not the id of an extension; it is made like com.example/name`)
  if (others.has(id)) throw new TypeError(`The extension ${id} is given twice`)
}

/** Checks a method of an extension. @throws TypeError when it is taken, by the protocol or by another one. */
export function checkMethod(id: string, method: string, taken: { has(method: string): boolean }): void {
  if (METHODS.has(method) || method.startsWith('notifications/'))
    throw new TypeError(`The extension ${id} cannot have the method ${method}: it belongs to the protocol`)
  if (method === '' || taken.has(method))
    throw new TypeError(`The extension ${id} cannot have the method ${JSON.stringify(method)}: it is taken, or has no name`)
}

/** Where an extension is let in: a server or a client, and the ids of those that it has. */
export interface Entry {
  readonly target: object
  readonly ids: Set<string>
}

/**
 * Lets an extension in, and puts what it gives under its name.
 *
 * @throws TypeError when its id is not made like one, or its id or its name is taken.
 */
export function letIn<Api>(
  { id, name }: ExtensionHead & { readonly name?: string },
  { target, ids }: Entry,
  begin: () => Api,
): Api {
  checkId(id, ids)
  ids.add(id)
  const api = begin()
  if (name === undefined) return api
  if (name === '' || name in target)
    throw new TypeError(`The extension ${id} cannot be called ${JSON.stringify(name)}: the name is taken`)
  Object.defineProperty(target, name, { value: api, enumerable: true })
  return api
}
