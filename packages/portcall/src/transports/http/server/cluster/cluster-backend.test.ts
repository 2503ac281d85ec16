import { describe } from 'vitest'
import { memoryStores } from '../../../../stores/memory/memory.ts'
import type { Stores } from '../../../../stores/stores.ts'
import { clusterSessionTests } from './cluster-backend.test-kit.ts'

clusterSessionTests(memoryStores)

describe('with a slow bus', () => {
  clusterSessionTests(() => slowBus(memoryStores()), { nodeLeaseTtlMs: 1500, storeTimeoutMs: 1000 })
})

const DELAY_MS = 150

/** Delays messages without changing their order. */
function slowBus(stores: Stores): Stores {
  const delay = (deliver: () => void): void => void setTimeout(deliver, DELAY_MS)
  const { bus } = stores
  return {
    ...stores,
    bus: { ...bus, subscribe: (topic, onMessage) => bus.subscribe(topic, (message) => delay(() => onMessage(message))) },
  }
}
