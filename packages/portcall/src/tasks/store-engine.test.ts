import { describe, test } from 'vitest'
import { memory } from '../stores/memory.ts'
import { engineContract } from '../testing/engine-contract.ts'
import { createStoreEngine } from './store-engine.ts'

describe('the engine in a store', () => {
  engineContract({
    test,
    create() {
      const { store, bus } = memory()
      return { subject: () => createStoreEngine({ store, bus, pollMs: 1000 }) }
    },
  })
})
