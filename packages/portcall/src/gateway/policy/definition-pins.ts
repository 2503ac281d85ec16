import { KINDS } from '../../compose/kinds.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { createMutex } from '../../util/async.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { errorMessage } from '../../util/errors.ts'
import { setLru } from '../../util/lru.ts'
import type { GatewayItemKind, GatewayPolicy } from '../policy.ts'
import { findItemFault } from '../upstreams/check-item.ts'
import { type DefinitionChange, describeChange } from './describe-change.ts'
import { formatLock, type PinnedItems, type PinnedKind, type PinnedServers, parseLock, pinnedPart } from './pin-lock.ts'
import { openPinStorage } from './pin-storage.ts'
import type { OnPolicyReport } from './report.ts'

/** Options of `definitionPins`. */
export interface DefinitionPinsOptions {
  /** The lock file, such as `portcall.lock`, or a store that several processes share. */
  readonly lock: string | KeyValueStore
  /** `block` withholds what differs from the pins; `warn` only reports it. Default: `block`. */
  readonly mode?: 'block' | 'warn'
  /** What happens to a server without pins: `pin` records what it offers first, `withhold` waits for `accept`. Default: `pin`. */
  readonly firstUse?: 'pin' | 'withhold'
  /** Receives each change, once. */
  readonly onChange?: (change: DefinitionChange) => void
  /** Receives the error if the pins cannot be read or written. With `block`, nothing is offered then. */
  readonly onError?: (error: unknown) => void
  /** Receives the calls that are withheld; `auditPolicy` has such a function. */
  readonly onReport?: OnPolicyReport
}

/** Selects changes. */
export interface ChangeSelection {
  /** Only those of this server. */
  readonly server?: string
  /** Only those of the items with this name. */
  readonly name?: string
}

/** A policy that compares the definitions of tools and prompts with pinned ones. */
export interface DefinitionPins extends GatewayPolicy {
  /** Returns the changes that have been found and not accepted, in the order in which they were found. */
  changes(): readonly DefinitionChange[]
  /** Pins the current definitions of these changes, or of all. Resolves to the changes that were accepted. Lists that are fetched later have them. */
  accept(selection?: ChangeSelection): Promise<readonly DefinitionChange[]>
}

/** A change, and the definition to pin. */
interface Pending {
  readonly change: DefinitionChange
  readonly offered: JsonObject
}

/** A well-formed item that a server lists. */
interface Offer {
  readonly item: JsonObject
  readonly name: string
  /** The part of the definition that is pinned. */
  readonly offered: JsonObject
}

const MAX_PENDING = 10_000
const MAX_ATTEMPTS = 20

/**
 * Creates a policy that pins the definitions of tools and prompts: names, titles, descriptions, schemas and annotations. What a server changes,
 * renames or adds later is withheld until you accept it. If the pins cannot be read, everything is withheld.
 */
export function definitionPins(options: DefinitionPinsOptions): DefinitionPins {
  const { lock, mode = 'block', firstUse = 'pin', onChange, onError, onReport } = options
  const storage = openPinStorage(lock)
  const mutex = createMutex()
  const pending = new Map<string, Pending>()

  /** Changes the pins, whatever other processes do meanwhile. */
  const update = (change: (servers: PinnedServers) => PinnedServers): Promise<void> =>
    mutex.run(async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const text = await storage.read()
        const servers = parseLock(text)
        const changed = change(servers)
        if (changed === servers || (await storage.replace(text, formatLock(changed)))) return
      }
      throw new Error('The pins are being changed all the time')
    })
  const pinsOf = async (server: string, kind: PinnedKind, offered: PinnedItems): Promise<PinnedItems> => {
    const known = parseLock(await storage.read())[server]?.[kind]
    if (known || firstUse === 'withhold') return known ?? {}
    await update((servers) => (servers[server]?.[kind] ? servers : withItems(servers, { server, kind, items: offered })))
    return parseLock(await storage.read())[server]?.[kind] ?? {}
  }
  const remember = ({ change, offered }: Pending): void => {
    const key = keyOf(change)
    const text = canonicalJson(offered)
    const isKnown = canonicalJson(pending.get(key)?.offered) === text
    setLru(pending, [key, { change, offered }], MAX_PENDING)
    if (!isKnown) onChange?.(change)
  }
  /** Returns the items that differ from their pins. Malformed ones are left to the gateway, which drops them. */
  const compare = async (server: string, kind: PinnedKind, items: readonly JsonObject[]): Promise<ReadonlySet<JsonObject>> => {
    const offers = items.flatMap((item): Offer[] =>
      findItemFault(KINDS[kind], item) === undefined ? [{ item, name: String(item.name), offered: pinnedPart(kind, item) }] : [],
    )
    const byName = Object.fromEntries(offers.map(({ name, offered }) => [name, offered]))
    const pins = await pinsOf(server, kind, byName)
    const missing = Object.entries(pins).filter(([name]) => !Object.hasOwn(byName, name))
    const changed = new Set<JsonObject>()
    for (const { item, name, offered } of offers) {
      const pinned = Object.hasOwn(pins, name) ? pins[name] : undefined
      const change = describeChange({ server, kind, name, offered, pinned, missing })
      if (!change) pending.delete(keyOf({ server, kind, name }))
      else {
        changed.add(item)
        remember({ change, offered })
      }
    }
    return changed
  }

  return {
    async listed(server, kind, items) {
      if (!isPinned(kind)) return items
      try {
        const changed = await compare(server, kind, items)
        return mode === 'block' ? items.filter((item) => !changed.has(item)) : items
      } catch (error) {
        onError?.(new Error(`The pins of ${server} cannot be used: ${errorMessage(error)}`, { cause: error }))
        return mode === 'block' ? [] : items
      }
    },
    visible(item, { request }) {
      if (mode !== 'block' || !isPinned(item.kind) || item.definition) return true
      if (request) onReport?.({ request, item, outcome: 'withheld', rule: 'pins' })
      return false
    },
    changes: () => [...pending.values()].map(({ change }) => change),
    async accept({ server, name } = {}) {
      const accepted = [...pending.values()].filter(
        ({ change }) => (server === undefined || change.server === server) && (name === undefined || change.name === name),
      )
      await update((servers) => accepted.reduce(withChange, servers))
      for (const { change } of accepted) pending.delete(keyOf(change))
      return accepted.map(({ change }) => change)
    },
  }
}

function isPinned(kind: GatewayItemKind): kind is PinnedKind {
  return kind === 'tool' || kind === 'prompt'
}

function keyOf({ server, kind, name }: Pick<DefinitionChange, 'server' | 'kind' | 'name'>): string {
  return JSON.stringify([server, kind, name])
}

/** Replaces the pins of one kind of a server. */
function withItems(
  servers: PinnedServers,
  { server, kind, items }: { readonly server: string; readonly kind: PinnedKind; readonly items: PinnedItems },
): PinnedServers {
  return { ...servers, [server]: { ...servers[server], [kind]: items } }
}

function withChange(servers: PinnedServers, { change, offered }: Pending): PinnedServers {
  const { server, kind, name, previousName = name } = change
  const { [previousName]: _previous, ...items } = servers[server]?.[kind] ?? {}
  return withItems(servers, { server, kind, items: { ...items, [name]: offered } })
}
