import { createPoller } from '../../../../util/src/poller.ts'
import { randomId } from '../../../../util/src/random.ts'
import { startSoon } from '../../../../util/src/timers.ts'
import { describeConnectTarget } from '../../connect/open-connection.ts'
import { storedAuth } from '../../events/server/webhooks/record.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { parseObject } from '../../jsonrpc/parse-object.ts'
import { EventMethod, isFinalEventError } from '../../protocol/events.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { GatewayProcesses } from '../calls/processes.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import type { CurrentTable } from '../routes/table.ts'
import { requestResult } from '../upstreams/fetch-list.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'

/** A subscription of the gateway at a server that delivers to webhooks. */
export interface WebhookSubscription {
  readonly upstream: GatewayUpstream
  /** The params that end it. */
  readonly params: JsonObject
  readonly auth: Auth | undefined
}

/** A subscription that the other processes of the gateway know. */
export interface SharedSubscription {
  /** Keeps it known until its end, in milliseconds since 1970; `null` if the server does not say it. */
  extend(expiresAt: number | null): Promise<void>
  /** Ends it at the server. If that fails, this process tries again later, or another one. Never rejects. */
  end(): Promise<void>
}

/** The webhook subscriptions of all processes of a gateway. Those of a process that was killed are ended by another one, or after a restart. */
export interface WebhookSubscriptions {
  /** Adds a subscription that is about to be made. `onEnded` is called when another process takes this one for ended, and ends the subscription. */
  add(subscription: WebhookSubscription, onEnded: () => void): Promise<SharedSubscription>
  close(): Promise<void>
}

export interface WebhookSubscriptionsOptions {
  /** The encrypted store that all processes share; `undefined` if this is the only one. */
  readonly store: KeyValueStore | undefined
  readonly processes: Pick<GatewayProcesses, 'join' | 'isAlive'>
  readonly registry: CurrentTable
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
}

/** A subscription as stored. */
interface StoredSubscription {
  readonly server: string
  /** A server that was replaced by another one of the same name must not learn of the subscription. */
  readonly target: string
  readonly params: JsonObject
  readonly auth?: Auth
}

/** A subscription of this process. */
interface OwnSubscription {
  /** Called when another process has ended it. */
  readonly onEnded: () => void
  isStored: boolean
}

const UNSUBSCRIBE_TIMEOUT_MS = 10_000
const LOOK_INTERVAL_MS = 5000
/** A process that is away for so long has ended: not one that only could not reach the store. */
const GRACE_MS = 10_000
const PAGE_SIZE = 500
/** How long a subscription is known after its end. */
const MARGIN_MS = 900_000
/** All are refreshed within a day. */
const LONGEST_TTL_MS = 86_400_000
const RETRY_DELAY_MS = 60_000

export function createWebhookSubscriptions(options: WebhookSubscriptionsOptions): WebhookSubscriptions {
  const { store } = options
  return store ? createStoredSubscriptions(store, options) : createOwnSubscriptions(options)
}

/** Without a shared store, nobody else can end the subscriptions of a process. */
function createOwnSubscriptions({ policies }: WebhookSubscriptionsOptions): WebhookSubscriptions {
  return {
    add: async (subscription) => ({
      extend: async () => {},
      end: () => unsubscribe(subscription, policies()).catch(() => {}),
    }),
    close: async () => {},
  }
}

function createStoredSubscriptions(store: KeyValueStore, options: WebhookSubscriptionsOptions): WebhookSubscriptions {
  const { processes, registry, policies } = options
  const own = new Map<string, OwnSubscription>()
  /** Since when other processes are away. */
  const awaySince = new Map<string, number>()
  /** When those are tried again that could not be ended. */
  const retryAt = new Map<string, number>()

  const endStored = async (key: string): Promise<void> => {
    const stored = parseObject(await store.get(key)) as StoredSubscription | undefined
    const upstream = stored && registry.table.byName.get(stored.server)
    // Another process may have the server.
    if (stored && (!upstream || targetOf(upstream) !== stored.target)) return
    if (stored && upstream) await unsubscribe({ upstream, params: stored.params, auth: stored.auth }, policies())
    await store.delete(key)
  }
  const hasEnded = async (process: string, now: number): Promise<boolean> => {
    if (await processes.isAlive(process)) {
      awaySince.delete(process)
      return false
    }
    const since = awaySince.get(process) ?? now
    awaySince.set(process, since)
    return now - since >= GRACE_MS
  }
  /** Returns the names of processes that have ended, and forgets what is known of other names. */
  const endedAmong = async (names: ReadonlySet<string>, now: number): Promise<Set<string>> => {
    for (const name of awaySince.keys()) if (!names.has(name)) awaySince.delete(name)
    const ended = new Set<string>()
    for (const name of names) if (await hasEnded(name, now)) ended.add(name)
    return ended
  }
  const look = async (): Promise<void> => {
    const node = await processes.join()
    const before = [...own].filter(([, { isStored }]) => isStored)
    const keys = await listAll(store)
    for (const [key, { onEnded }] of before) if (!keys.has(key)) onEnded()
    const now = performance.now()
    const ended = await endedAmong(new Set([...keys].map(processOf).filter((name) => name !== node)), now)
    const isLeft = (key: string): boolean => ended.has(processOf(key)) || (processOf(key) === node && !own.has(key))
    for (const key of retryAt.keys()) if (!keys.has(key) || !isLeft(key)) retryAt.delete(key)
    const due = [...keys].filter((key) => isLeft(key) && (retryAt.get(key) ?? 0) <= now)
    await Promise.all(due.map((key) => endStored(key).catch(() => retryAt.set(key, now + RETRY_DELAY_MS))))
  }
  // While the store is away, a process that cannot be seen may be there.
  const poller = createPoller({ intervalMs: LOOK_INTERVAL_MS, poll: look, onError: () => awaySince.clear() })
  startSoon(() => {
    if (registry.table.upstreams.some((upstream) => upstream.options.eventWebhook)) poller.pollNow()
  })

  return {
    async add(subscription, onEnded) {
      const { upstream, params, auth } = subscription
      const key = `${await processes.join()}/${randomId()}`
      const stored: StoredSubscription = {
        server: upstream.name,
        target: targetOf(upstream),
        params,
        ...(auth && { auth: storedAuth(auth) }),
      }
      const keepFor = (ttlMs: number): Promise<void> => store.set(key, JSON.stringify(stored), { ttlMs: ttlMs + MARGIN_MS })
      const added: OwnSubscription = { onEnded, isStored: false }
      own.set(key, added)
      await keepFor(0).catch((error: unknown) => {
        own.delete(key)
        throw error
      })
      added.isStored = true
      poller.pollIn(LOOK_INTERVAL_MS)
      return {
        extend: (expiresAt) => keepFor(Math.min(LONGEST_TTL_MS, Math.max(0, (expiresAt ?? Infinity) - Date.now()))),
        async end() {
          added.isStored = false
          await unsubscribe(subscription, policies())
            .then(() => store.delete(key))
            .catch(() => {})
          own.delete(key)
        },
      }
    },
    close: poller.close,
  }
}

/** @throws unless the server has ended the subscription, or refuses to. */
async function unsubscribe({ upstream, params, auth }: WebhookSubscription, policies: CombinedPolicies): Promise<void> {
  const context = { signal: AbortSignal.timeout(UNSUBSCRIBE_TIMEOUT_MS), notify: () => {}, ...(auth && { auth }) }
  try {
    await requestResult(upstream.exchangeUnder(policies), { method: EventMethod.unsubscribe, params }, context)
  } catch (error) {
    if (!(error instanceof RpcError) || !isFinalEventError(error)) throw error
  }
}

async function listAll(store: KeyValueStore): Promise<Set<string>> {
  const all = new Set<string>()
  let after: string | undefined
  for (;;) {
    const page = await store.list('', { limit: PAGE_SIZE, ...(after !== undefined && { after }) })
    for (const key of page) all.add(key)
    if (page.length < PAGE_SIZE) return all
    after = page.at(-1)
  }
}

/** Returns the name of the process whose subscription it is. */
function processOf(key: string): string {
  return key.split('/', 1)[0] as string
}

function targetOf({ options }: GatewayUpstream): string {
  const { url, transport } = describeConnectTarget(options.target)
  return url?.href ?? transport
}
