import { describe, test } from 'vitest'
import { memoryStores } from '../../stores/memory/memory.ts'
import { queueContract } from '../../testing/contracts/queue-contract.ts'
import { createStoreQueue } from './store-queue.ts'

describe('the queue in a store', () => {
  queueContract({
    test,
    create() {
      const { store, bus } = memoryStores()
      return { subject: () => createStoreQueue({ store, bus, pollIntervalMs: 1000 }) }
    },
  })
})
