import { afterEach } from 'vitest'
import type { Exchange } from '../src/jsonrpc/exchange.ts'
import { memoryStores } from '../src/stores/memory/memory.ts'
import type { Stores } from '../src/stores/stores.ts'
import type { HttpOptions } from '../src/transports/http/server/options.ts'
import { listen, type RawConnection } from './raw-connection.ts'
import { createTestCore, type TestCore } from './test-core.ts'

/** One node of a cluster, simulated within this process. */
export interface TestNode {
  readonly core: TestCore
  readonly connect: () => RawConnection
  readonly stores: PartitionableStores
  /** The errors that the node reported. */
  readonly errors: unknown[]
  /** Disconnects the node from the stores and from its clients, as if its process had died. Resolves when its lease has expired. */
  kill(): Promise<void>
}

/** Stores that can be disconnected from their node. While disconnected, the node receives no messages either. */
export interface PartitionableStores extends Stores {
  /** `hangs`: operations never settle, as when packets are lost. `fails`: operations reject, as when connections are refused. */
  state: 'works' | 'hangs' | 'fails'
  /** The keys of the leases of the node. */
  readonly leases: ReadonlySet<string>
}

/** For durations that must not elapse while a machine is paused. */
const HOUR_MS = 3_600_000

/** Starts nodes that serve the same Exchange over the same stores. A node that stops working without `kill` keeps its lease for an hour. */
export async function startCluster(
  count: number,
  options: HttpOptions & { core?: () => TestCore; exchange?: (node: number, stores: Stores) => Exchange; shared?: Stores } = {},
): Promise<TestNode[]> {
  const { core: createCore = createTestCore, exchange: createExchange, shared = memoryStores(), ...httpOptions } = options
  afterEach(() => shared.close())
  return Promise.all(
    Array.from({ length: count }, async (_, node) => {
      const core = createCore()
      const stores = partitionable(shared)
      const errors: unknown[] = []
      const exchange = createExchange?.(node, stores) ?? core.exchange
      const connections: RawConnection[] = []
      const { connect } = await listen(exchange, {
        nodeLeaseTtlMs: HOUR_MS,
        storeTimeoutMs: HOUR_MS,
        ...httpOptions,
        stores,
        onError: (e) => errors.push(e),
      })
      const trackedConnect = (): RawConnection => {
        const connection = connect()
        connections.push(connection)
        return connection
      }
      const kill = async (): Promise<void> => {
        stores.state = 'fails'
        for (const { socket } of connections) socket.destroy()
        for (const key of stores.leases) await shared.store.delete(key)
      }
      return { core, connect: trackedConnect, stores, errors, kill }
    }),
  )
}

function partitionable(stores: Stores): PartitionableStores {
  const leases = new Set<string>()
  const onSet = (key: string): void => void (key.startsWith('http/node/') && leases.add(key))
  const partitioned: PartitionableStores = { state: 'works', leases, ...wrap(stores, () => partitioned.state, onSet) }
  return partitioned
}

function wrap({ store, log, bus }: Stores, state: () => PartitionableStores['state'], onSet: (key: string) => void): Stores {
  const run = <T>(operation: () => Promise<T>): Promise<T> => {
    if (state() === 'hangs') return new Promise(() => {})
    if (state() === 'fails') return Promise.reject(new Error('the backend is unavailable'))
    return operation()
  }
  return {
    store: {
      get: (key) => run(() => store.get(key)),
      set(key, value, options) {
        onSet(key)
        return run(() => store.set(key, value, options))
      },
      delete: (key) => run(() => store.delete(key)),
      compareAndSet: (key, change) => run(() => store.compareAndSet(key, change)),
      list: (prefix, options) => run(() => store.list(prefix, options)),
      count: (prefix) => run(() => store.count(prefix)),
    },
    log: {
      append: (key, data) => run(() => log.append(key, data)),
      read: (key, after) => run(() => log.read(key, after)),
      delete: (key) => run(() => log.delete(key)),
    },
    bus: {
      publish: (topic, message) => run(() => bus.publish(topic, message)),
      subscribe: (topic, onMessage) => run(() => bus.subscribe(topic, (message) => state() === 'works' && onMessage(message))),
    },
    close: async () => {},
  }
}
