import { describe } from 'vitest'
import { memory } from '../../../stores/memory.ts'
import type { Stores } from '../../../stores/stores.ts'
import { sharedSessionTests } from './sessions.test-kit.ts'

sharedSessionTests(memory)

describe('over a bus that takes its time', () => {
  sharedSessionTests(() => slowBus(memory()), { nodeLeaseMs: 1500, storeTimeoutMs: 1000 })
})

const DELAY_MS = 150

/** What is said arrives later, in its order. */
function slowBus(stores: Stores): Stores {
  const later = (deliver: () => void): void => void setTimeout(deliver, DELAY_MS)
  const { bus } = stores
  return {
    ...stores,
    bus: { ...bus, subscribe: (topic, hear) => bus.subscribe(topic, (message) => later(() => hear(message))) },
  }
}
