import { describe, test } from 'vitest'
import { useFolder } from '../../../test-kit/sqlite/sqlite.ts'
import { busContract } from '../../testing/contracts/bus-contract.ts'
import { logContract } from '../../testing/contracts/log-contract.ts'
import { storeContract } from '../../testing/contracts/store-contract.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { sqliteStores } from './sqlite.ts'

const { newFile } = useFolder()

describe('the contracts', () => {
  storeContract({
    test,
    create() {
      const { now, advance } = createFakeClock()
      const { store: subject, close } = sqliteStores(newFile(), { now })
      return { subject, advance, close }
    },
  })
  logContract({
    test,
    create({ maxEntries }) {
      const { now, advance } = createFakeClock()
      const { log: subject, close } = sqliteStores(newFile(), { now, log: { maxEntries } })
      return { subject, advance, close }
    },
  })
  busContract({
    test,
    create() {
      const { bus: subject, close } = sqliteStores(newFile())
      return { subject, close }
    },
  })
})
