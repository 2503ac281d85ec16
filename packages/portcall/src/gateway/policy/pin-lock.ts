import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { escapeInvisible } from '../../../../util/src/printable.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { GATEWAY_KINDS } from './item-kinds.ts'
import type { GatewayItemKind } from './types.ts'

/** The kinds of items whose definitions are pinned. The `instructions` of a server are one item of this name. */
export type PinnedKind = GatewayItemKind | 'instructions' | 'skill'

/** The pinned definitions of one kind, by name. */
export type PinnedItems = { readonly [name: string]: JsonObject }

/** The pinned definitions of a server. A kind is absent until it has been listed once. */
export type PinnedServer = { readonly [kind in PinnedKind]?: PinnedItems }

/** The pinned definitions of all servers, by name. */
export type PinnedServers = { readonly [server: string]: PinnedServer }

/** The storage of pins, as one text. */
export interface PinStorage {
  /** Resolves to the text, or to `undefined` if there is none. */
  read(): Promise<string | undefined>
  /** Replaces the text if it is still the expected one. Resolves to whether it was. */
  replace(expected: string | undefined, text: string): Promise<boolean>
}

/** The members of a lock that hold the pins of each kind, in the order in which they are written. */
const KEYS: { readonly [kind in PinnedKind]: string } = {
  instructions: 'instructions',
  tool: GATEWAY_KINDS.tool.key,
  prompt: GATEWAY_KINDS.prompt.key,
  resource: GATEWAY_KINDS.resource.key,
  template: GATEWAY_KINDS.template.key,
  skill: 'skills',
  event: GATEWAY_KINDS.event.key,
}
/** All kinds that can be pinned. */
export const PINNED_KINDS: readonly PinnedKind[] = ['instructions', 'tool', 'prompt', 'resource', 'template', 'skill', 'event']
/** Members that describe the contents of a resource, which may change. */
const CONTENT_MEMBERS: ReadonlySet<string> = new Set(['size', 'lastModified'])
const VERSION = 2

/** Returns the part of a definition that is pinned: all of it except its name, and the size and age of the contents of resources. */
export function pinnedPart(kind: PinnedKind, definition: JsonObject): JsonObject {
  const id = kind === 'instructions' ? 'name' : kind === 'skill' ? 'uri' : GATEWAY_KINDS[kind].id
  const isContent = (member: string): boolean => kind === 'resource' && CONTENT_MEMBERS.has(member)
  const pinned = Object.entries(definition).filter(
    ([member, value]) => member !== id && value !== undefined && !isContent(member),
  )
  return Object.fromEntries(
    pinned.map(([member, value]) => [member, member === 'annotations' && isObject(value) ? withoutContent(value) : value]),
  )
}

function withoutContent(annotations: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(annotations).filter(([member]) => !CONTENT_MEMBERS.has(member)))
}

export function isSamePin(one: JsonObject, other: JsonObject): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

/** Reads a lock. An absent one has no pins. @throws Error if it cannot be read. */
export function parseLock(text: string | undefined): PinnedServers {
  if (text === undefined) return toRecord([])
  const lock: unknown = JSON.parse(text)
  if (!isObject(lock) || !isObject(lock.servers)) throw new Error('It is not a lock file')
  if (lock.version !== VERSION)
    throw new Error(
      `Its version is ${String(lock.version)}; only ${VERSION} is supported. Remove it to pin what the servers offer now`,
    )
  return toRecord(Object.entries(lock.servers).map(([server, pins]) => [server, parseServer(server, pins)]))
}

function parseServer(server: string, pins: unknown): PinnedServer {
  const invalid = new Error(`The pins of ${server} are invalid`)
  if (!isObject(pins)) throw invalid
  const kinds = PINNED_KINDS.flatMap((kind): [PinnedKind, PinnedItems][] => {
    const items = pins[KEYS[kind]]
    if (items === undefined) return []
    if (!isObject(items)) throw invalid
    const entries = Object.entries(items)
    if (!entries.every((entry): entry is [string, JsonObject] => isObject(entry[1]))) throw invalid
    return [[kind, toRecord(entries)]]
  })
  return Object.fromEntries(kinds)
}

/** Writes a lock: sorted, one member on a line, with escapes for invisible characters, for reviews of changes. */
export function formatLock(servers: PinnedServers): string {
  const lock = {
    version: VERSION,
    servers: toRecord(
      Object.entries(servers).map(([server, pins]) => [
        server,
        Object.fromEntries(PINNED_KINDS.flatMap((kind) => (pins[kind] ? [[KEYS[kind], pins[kind]]] : []))),
      ]),
    ),
  }
  return `${escapeInvisible(JSON.stringify(sortMembers(lock), undefined, 2))}\n`
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (!isObject(value)) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return toRecord(entries.map(([key, member]) => [key, sortMembers(member)]))
}

/** Creates an object without a prototype: a tool may have the name `__proto__`. */
function toRecord<T>(entries: readonly (readonly [string, T])[]): { [key: string]: T } {
  const record: { [key: string]: T } = Object.create(null) as { [key: string]: T }
  for (const [key, value] of entries) record[key] = value
  return record
}
