import { createKeyedMutex } from '../../../util/src/async.ts'
import { createBackoff } from '../../../util/src/backoff.ts'
import { delay } from '../../../util/src/timers.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { type Lease, takeLease } from '../stores/lease.ts'
import type { KeyValueStore } from '../stores/store.ts'

/** Admits a limited number of requests with the same key at once. */
export interface ConcurrencyGate {
  /** The number of requests that wait in this process. */
  readonly waiting: number
  /**
   * Waits for the turn of a request. Resolves to what ends it, or to `undefined` if there are too many.
   *
   * @throws the reason for which the request was aborted.
   */
  enter(key: string, context: ExchangeContext): Promise<(() => void | Promise<void>) | undefined>
}

export interface ConcurrencySlotsOptions {
  readonly store: KeyValueStore
  readonly name: string
  readonly limit: number
  readonly maxQueued: number
  readonly queueTimeoutMs: number
}

/** How long the slots of a process that was killed stay taken. */
const SLOT_TTL_MS = 15_000
const POLLING = { firstMs: 10, maxMs: 250 }

/** Creates a gate whose limit applies to all processes that share the store: each running request holds one of as many leases as may run. */
export function createConcurrencySlots(options: ConcurrencySlotsOptions): ConcurrencyGate {
  const { store, name, limit, maxQueued, queueTimeoutMs } = options
  /** The number of requests of this process that wait, by key. Of these, the first asks the store. */
  const waiting = new Map<string, number>()
  const mutex = createKeyedMutex()
  /** Ends the pauses of those that ask the store, because a request of this process has ended. */
  let pause = new AbortController()

  const take = async (key: string): Promise<Lease | undefined> => {
    const prefix = `portcall:${name}:${key}/`
    if ((await store.count(prefix)) >= limit) return undefined
    const first = Math.floor(Math.random() * limit)
    for (let at = 0; at < limit; at++) {
      const key = prefix + ((first + at) % limit)
      // A request whose process was paused still runs, and takes its slot again if it is free.
      const lease = await takeLease({ store, key, leaseTtlMs: SLOT_TTL_MS, mayContinue: async () => true })
      if (lease) return lease
    }
    return undefined
  }
  const poll = async (key: string, signal: AbortSignal, deadline: number): Promise<Lease | undefined> => {
    const backoff = createBackoff(POLLING)
    for (;;) {
      const lease = await take(key)
      if (lease || performance.now() >= deadline) return lease
      await delay(backoff.next(), signal, pause.signal).catch(() => signal.throwIfAborted())
    }
  }
  const wait = async (key: string, { signal }: ExchangeContext): Promise<Lease | undefined> => {
    const count = waiting.get(key) ?? 0
    if (count >= maxQueued) return undefined
    const deadline = performance.now() + queueTimeoutMs
    waiting.set(key, count + 1)
    try {
      return await mutex.run(key, () => poll(key, signal, deadline), signal)
    } finally {
      const left = (waiting.get(key) ?? 1) - 1
      if (left > 0) waiting.set(key, left)
      else waiting.delete(key)
    }
  }
  return {
    get waiting() {
      return [...waiting.values()].reduce((sum, count) => sum + count, 0)
    },
    async enter(key, context) {
      const lease = (waiting.has(key) ? undefined : await take(key)) ?? (await wait(key, context))
      if (!lease) return undefined
      return async () => {
        await lease.release()
        pause.abort()
        pause = new AbortController()
      }
    },
  }
}
