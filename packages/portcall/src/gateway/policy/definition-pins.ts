import { createMutex } from '../../../../util/src/async.ts'
import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { errorMessage } from '../../../../util/src/errors.ts'
import { setLru } from '../../../../util/src/lru.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { type DefinitionChange, describeChange } from './describe-change.ts'
import { findItemFault } from './item-fault.ts'
import { GATEWAY_KINDS } from './item-kinds.ts'
import { type FindWithheld, type Offer, withholdInstructions, withholdSkills } from './pin-answers.ts'
import {
  formatLock,
  PINNED_KINDS,
  type PinnedItems,
  type PinnedKind,
  type PinnedServers,
  parseLock,
  pinnedPart,
} from './pin-lock.ts'
import { openPinStorage } from './pin-storage.ts'
import type { OnPolicyReport } from './report.ts'
import type { GatewayItemKind, GatewayPolicy } from './types.ts'

/** Options of `definitionPins`. */
export interface DefinitionPinsOptions {
  /** The lock file, such as `portcall.lock`, or a store that several processes share. */
  readonly lock: string | KeyValueStore
  /** `block` withholds what differs from the pins; `warn` only reports it. Default: `block`. */
  readonly mode?: 'block' | 'warn'
  /** The treatment of a server without pins: `pin` records its first offer, `withhold` waits for `accept`. Default: `pin`. */
  readonly firstUse?: 'pin' | 'withhold'
  /**
   * The kinds of definitions to pin. Leave `resource` out for servers whose list of resources changes, such as one that lists files. Default: all
   * kinds.
   */
  readonly kinds?: readonly PinnedKind[]
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

/** A policy that compares the instructions and items of servers with pinned ones. */
export interface DefinitionPins extends GatewayPolicy {
  /** Returns the changes that have been found and not accepted, in the order in which they were found. */
  changes(): readonly DefinitionChange[]
  /** Pins the current definitions of these changes, or of all. Resolves to the changes that were accepted. Lists that are fetched later have them. */
  accept(selection?: ChangeSelection): Promise<readonly DefinitionChange[]>
}

/** Whose definitions are compared. */
interface Origin {
  readonly server: string
  readonly kind: PinnedKind
  /** The server has not answered yet: these are the definitions that it offered earlier. */
  readonly isKept: boolean
}

/** A change, and the definition to pin. */
interface Pending {
  readonly change: DefinitionChange
  readonly offered: JsonObject
}

const MAX_PENDING = 10_000
const MAX_ATTEMPTS = 20

const NAMES: OptionNames<DefinitionPinsOptions> = {
  lock: 1,
  mode: ['block', 'warn'],
  firstUse: ['pin', 'withhold'],
  kinds: 'texts',
  onChange: 1,
  onError: 1,
  onReport: 1,
}
const REQUIRED = { lock: 'Pass the path of the lock file, or a store' }

/**
 * Creates a policy that pins the instructions of servers and the definitions of their tools, prompts, resources, resource templates, skills and events, with
 * all members that reach a model or a user. What a server changes, renames or adds later is withheld until you accept it. If the pins cannot be read,
 * everything is withheld.
 */
export function definitionPins(options: DefinitionPinsOptions): DefinitionPins {
  checkOptions('definitionPins()', options, { names: NAMES, required: REQUIRED })
  const { lock, mode = 'block', firstUse = 'pin', onChange, onError, onReport } = options
  const kinds = new Set<GatewayItemKind | PinnedKind>(options.kinds ?? PINNED_KINDS)
  const storage = openPinStorage(lock)
  const mutex = createMutex()
  const pending = new Map<string, Pending>()

  /** Changes the pins, and retries if another process has changed them. */
  const update = (change: (servers: PinnedServers) => PinnedServers): Promise<void> =>
    mutex.run(async () => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const text = await storage.read()
        const servers = parseLock(text)
        const changed = change(servers)
        if (changed === servers || (await storage.replace(text, formatLock(changed)))) return
      }
      throw new Error('Too many concurrent changes to the pins')
    })
  const pinsOf = async ({ server, kind, isKept }: Origin, offered: PinnedItems): Promise<PinnedItems> => {
    const known = parseLock(await storage.read())[server]?.[kind]
    // What a server offered earlier is not pinned: it may offer something else first.
    if (known || isKept || firstUse === 'withhold') return known ?? {}
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
  /** Returns the definitions to withhold: those that differ from their pins, or all if the pins cannot be used; none unless changes are blocked. */
  const findWithheld = async (origin: Origin, offers: readonly Offer[]): Promise<ReadonlySet<Offer>> => {
    const { server, kind, isKept } = origin
    try {
      const byName = Object.fromEntries(offers.map(({ name, offered }) => [name, offered]))
      const pins = await pinsOf(origin, byName)
      const missing = Object.entries(pins).filter(([name]) => !Object.hasOwn(byName, name))
      const changed = offers.filter(({ name, offered }) => {
        const pinned = Object.hasOwn(pins, name) ? pins[name] : undefined
        const change = describeChange({ server, kind, name, offered, pinned, missing })
        if (isKept) return change !== undefined
        if (change) remember({ change, offered })
        else pending.delete(keyOf({ server, kind, name }))
        return change !== undefined
      })
      return new Set(mode === 'block' ? changed : [])
    } catch (error) {
      onError?.(new Error(`The pins of ${server} cannot be used: ${errorMessage(error)}`, { cause: error }))
      return new Set(mode === 'block' ? offers : [])
    }
  }
  const keepPinned = async (
    { kind, ...origin }: Omit<Origin, 'kind'> & { readonly kind: GatewayItemKind },
    items: readonly JsonObject[],
  ): Promise<readonly JsonObject[]> => {
    if (!kinds.has(kind)) return items
    const { id } = GATEWAY_KINDS[kind]
    const offers = new Map<JsonObject, Offer>()
    // The gateway drops malformed items.
    for (const item of items)
      if (findItemFault(GATEWAY_KINDS[kind], item) === undefined)
        offers.set(item, { name: String(item[id]), offered: pinnedPart(kind, item) })
    const withheld = await findWithheld({ ...origin, kind }, [...offers.values()])
    return items.filter((item) => !withheld.has(offers.get(item) as Offer))
  }

  return {
    listed: (server, kind, items) => keepPinned({ server, kind, isKept: false }, items),
    listedEarlier: (server, kind, items) => keepPinned({ server, kind, isKept: true }, items),
    visible(item, { request }) {
      if (mode !== 'block' || !kinds.has(item.kind) || !MUST_BE_LISTED.has(item.kind) || item.definition) return true
      if (request) onReport?.({ request, item, outcome: 'withheld', rule: 'pins' })
      return false
    },
    serverMiddleware(server) {
      const find: FindWithheld = (kind, offers, isKept = false) => findWithheld({ server, kind, isKept }, offers)
      return [
        ...(kinds.has('instructions') ? [withholdInstructions(find)] : []),
        ...(kinds.has('skill') ? [withholdSkills(find)] : []),
      ]
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

/** The kinds whose items are used only if they are listed. The URI of a resource may match a pinned template. */
const MUST_BE_LISTED: ReadonlySet<GatewayItemKind> = new Set(['tool', 'prompt', 'template', 'event'])

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
