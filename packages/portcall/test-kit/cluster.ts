import { afterEach } from 'vitest'
import type { Exchange } from '../src/jsonrpc/exchange.ts'
import { memory } from '../src/stores/memory.ts'
import type { Stores } from '../src/stores/stores.ts'
import type { HttpOptions } from '../src/transports/http/options.ts'
import { createTestCore, type TestCore } from './core.ts'
import { listen, type Raw } from './raw.ts'

/** One process of a service, as far as that can be had within one process. */
export interface TestNode {
  readonly core: TestCore
  readonly connect: () => Raw
  readonly stores: CutStores
  /** What went wrong inside. */
  readonly errors: unknown[]
  /** Nothing of it reaches the stores or a client any more, and nothing reaches it; when this resolves, its lease is over. */
  kill(): Promise<void>
}

/** Stores that can be cut off: what is asked then never comes back, and nothing is heard. */
export interface CutStores extends Stores {
  /** How it behaves: `hangs` as when packets are lost, `fails` as when the other side refuses. */
  state: 'works' | 'hangs' | 'fails'
  /** The keys that say that who uses them is alive. */
  readonly leases: ReadonlySet<string>
}

/** What must not expire while a machine stands still. */
const HOUR_MS = 3_600_000

/** Serves the same thing several times over the same stores. A node that only stops to work is believed to be alive for an hour. */
export async function cluster(
  count: number,
  options: HttpOptions & { core?: () => TestCore; exchange?: (at: number, stores: Stores) => Exchange; shared?: Stores } = {},
): Promise<TestNode[]> {
  const { core: make = createTestCore, exchange, shared = memory(), ...rest } = options
  afterEach(() => shared.close())
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const core = make()
      const stores = cuttable(shared)
      const errors: unknown[] = []
      const served = exchange?.(at, stores) ?? core.exchange
      const raws: Raw[] = []
      const { connect } = await listen(served, {
        nodeLeaseMs: HOUR_MS,
        storeTimeoutMs: HOUR_MS,
        ...rest,
        stores,
        onError: (e) => errors.push(e),
      })
      const track = (): Raw => {
        const raw = connect()
        raws.push(raw)
        return raw
      }
      const kill = async (): Promise<void> => {
        stores.state = 'fails'
        for (const raw of raws) raw.socket.destroy()
        for (const key of stores.leases) await shared.store.delete(key)
      }
      return { core, connect: track, stores, errors, kill }
    }),
  )
}

function cuttable(stores: Stores): CutStores {
  const leases = new Set<string>()
  const note = (key: string): void => void (key.startsWith('http/node/') && leases.add(key))
  const cut: CutStores = { state: 'works', leases, ...wrapAll(stores, () => cut.state, note) }
  return cut
}

function wrapAll({ store, log, bus }: Stores, state: () => CutStores['state'], note: (key: string) => void): Stores {
  const pass = <T>(operation: () => Promise<T>): Promise<T> => {
    if (state() === 'hangs') return new Promise(() => {})
    if (state() === 'fails') return Promise.reject(new Error('the backend is away'))
    return operation()
  }
  return {
    store: {
      get: (key) => pass(() => store.get(key)),
      set(key, value, options) {
        note(key)
        return pass(() => store.set(key, value, options))
      },
      delete: (key) => pass(() => store.delete(key)),
      swap: (key, change) => pass(() => store.swap(key, change)),
      list: (prefix, options) => pass(() => store.list(prefix, options)),
      count: (prefix) => pass(() => store.count(prefix)),
    },
    log: {
      append: (key, data) => pass(() => log.append(key, data)),
      read: (key, after) => pass(() => log.read(key, after)),
      delete: (key) => pass(() => log.delete(key)),
    },
    bus: {
      publish: (topic, message) => pass(() => bus.publish(topic, message)),
      subscribe: (topic, hear) => pass(() => bus.subscribe(topic, (message) => state() === 'works' && hear(message))),
    },
    close: async () => {},
  }
}
