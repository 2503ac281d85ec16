/** The lists that a server offered last, kept where they survive the gateway: they are offered while the server starts or is away. */

import { createMutex } from '../../../../util/src/async.ts'
import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { sha256 } from '../../../../util/src/digest.ts'
import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import { setLru } from '../../../../util/src/lru.ts'
import { unref, withTimeout } from '../../../../util/src/timers.ts'
import { matchTarget } from '../../connect/target.ts'
import { credentialKey, TOKEN_DIGEST } from '../../jsonrpc/authorization-key.ts'
import { ownerKey } from '../../stores/owned-keys.ts'
import type { GatewayServerOptions, ListStore } from '../api/options.ts'
import type { Caller } from '../policy/caller.ts'
import { EMPTY, findKept, formatKept, type KeptKind, type KeptList, type KeptRecord, parseKept, withList } from './kept-record.ts'

/** The kept lists of one server. */
export interface KeptLists {
  /** Resolves to the list that callers with the same rights and capabilities got last; `undefined` if there is none, or if the store does not answer. */
  read(kind: KeptKind, caller: Caller): Promise<KeptList | undefined>
  /** Reports whether a list should be kept: none was a minute ago, and the list may be kept at all. */
  isDue(kind: KeptKind, caller: Caller): boolean
  /** Keeps a list. It is written later; errors are reported as a warning. */
  keep(kind: KeptKind, caller: Caller, items: readonly unknown[]): void
  /** Makes the next list due, because the lists have changed. */
  changed(): void
  /** Waits until everything is written, or for two seconds. */
  close(): Promise<void>
}

export interface KeptListsOptions {
  readonly store: ListStore
  readonly server: string
  readonly options: GatewayServerOptions
  /** Reports whether the options say all that determines the lists, now that the server was connected. */
  readonly mayKeep: () => boolean
  readonly onError: (error: unknown) => void
}

/** Lists of callers with the same authorization that have not been written yet. */
interface PendingLists {
  readonly auth: Caller['auth']
  readonly lists: Map<string, PendingList>
}

interface PendingList {
  readonly kind: KeptKind
  readonly capabilitiesKey: string
  readonly items: readonly unknown[]
}

const TTL_MS = 30 * 86_400_000
const KEEP_INTERVAL_MS = 60_000
/** Lists of several kinds and clients come together. */
const WRITE_DELAY_MS = 1000
/** A list that has not changed is written again after this time. */
const REFRESH_INTERVAL_MS = 3_600_000
const READ_TIMEOUT_MS = 1000
const CLOSE_TIMEOUT_MS = 2000
const MAX_CALLERS = 1000

/** Returns `undefined` if nothing of the server may be kept: what determines its lists cannot be compared, or it is always there. */
export function createKeptLists({ store, server, options, mayKeep, onError }: KeptListsOptions): KeptLists | undefined {
  const description = describeServer(server, options)
  if (description === undefined) return undefined
  const digest = sha256(description)
  const mutex = createMutex()
  const keptAt = new Map<string, number>()
  /** The records that are being read. Lists of several kinds are often requested together. */
  const loading = new Map<string, Promise<KeptRecord>>()

  /** Lists that have not been written yet, by the authorization of their callers. */
  const pending = new Map<string, PendingLists>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const keyOf = async (auth: Caller['auth']): Promise<string> => `${await ownerKey(credentialKey(auth))}/${await digest}`
  const load = async (key: string): Promise<KeptRecord> => {
    const text = await store.get(key)
    return text === undefined ? EMPTY : parseKept(text)
  }
  const loadOnce = (key: string): Promise<KeptRecord> => {
    const known = loading.get(key)
    if (known) return known
    const started = withTimeout(load(key), READ_TIMEOUT_MS, () => new Error('The store does not answer'))
    loading.set(key, started)
    const end = (): void => void loading.delete(key)
    started.then(end, end)
    return started
  }
  const write = async ({ auth, lists }: PendingLists): Promise<void> => {
    const key = await keyOf(auth)
    const before = await load(key)
    let record = before
    for (const { kind, capabilitiesKey, items } of lists.values()) {
      const [capabilities, list] = await Promise.all([sha256(capabilitiesKey), sha256(JSON.stringify(items))])
      const known = findKept(record, kind, capabilities)
      const isCurrent = known?.digest === list && known.listedAt > Date.now() - REFRESH_INTERVAL_MS
      if (!isCurrent) record = withList(record, { capabilities, kind, list, items })
    }
    if (record !== before) await store.set(key, formatKept(record), { ttlMs: TTL_MS })
  }
  /** Writes the pending lists, all kinds together. */
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const all = [...pending.values()]
    pending.clear()
    return mutex.run(async () => {
      await Promise.all(all.map((lists) => write(lists).catch(onError)))
    })
  }

  return {
    async read(kind, caller) {
      if (!isLasting(caller)) return undefined
      try {
        const record = await loadOnce(await keyOf(caller.auth))
        const kept = findKept(record, kind, await sha256(caller.capabilitiesKey))
        return kept && kept.listedAt > Date.now() - TTL_MS ? kept : undefined
      } catch (error) {
        onError(error)
        return undefined
      }
    },
    isDue: (kind, caller) => isLasting(caller) && (keptAt.get(`${kind} ${caller.key}`) ?? 0) < Date.now() - KEEP_INTERVAL_MS,
    keep(kind, caller, items) {
      if (!mayKeep()) return
      setLru(keptAt, [`${kind} ${caller.key}`, Date.now()], MAX_CALLERS)
      const { auth, capabilitiesKey } = caller
      const key = credentialKey(auth)
      const { lists } = pending.get(key) ?? { lists: new Map() }
      // Clients with different capabilities mostly get the same items.
      const equal = [...lists.values()].find((list) => list.kind === kind && isJsonEqual(list.items, items))
      const list = { kind, capabilitiesKey, items: equal?.items ?? items }
      pending.set(key, { auth, lists: lists.set(`${kind} ${capabilitiesKey}`, list) })
      timer ??= unref(setTimeout(() => void flush(), WRITE_DELAY_MS))
    },
    changed: () => keptAt.clear(),
    close: () => withTimeout(flush(), CLOSE_TIMEOUT_MS, () => new Error('The store does not answer')).catch(onError),
  }
}

/** Reports whether a caller will come again: not one that is known by its token, which is renewed. */
function isLasting({ auth }: Caller): boolean {
  return auth?.[TOKEN_DIGEST] === undefined
}

/** Returns everything in the options of a server that determines its lists, or `undefined` if that cannot be compared. */
function describeServer(server: string, options: GatewayServerOptions): string | undefined {
  const { headers = {}, auth, fetch, sharing, era, protocolVersion, capabilities } = options
  const target = matchTarget<unknown>(options.target, {
    url: (url) => url.href,
    command: ({ command, args, env, cwd }) => ({ command, args, env, cwd: cwd && String(cwd) }),
    channel: () => undefined,
    exchange: () => undefined,
  })
  if (target === undefined || auth || fetch || typeof headers === 'function' || sharing === 'session') return undefined
  return canonicalJson({
    server,
    target,
    headers: headers instanceof Headers ? [...headers] : headers,
    era,
    protocolVersion,
    capabilities,
  })
}
