import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { busContract } from '../../testing/bus-contract.ts'
import { createClock } from '../../testing/clock.ts'
import { logContract } from '../../testing/log-contract.ts'
import { storeContract } from '../../testing/store-contract.ts'
import { sqlite } from './sqlite.ts'

let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcall-sqlite-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
const newFile = (): string => join(folder, `${++files}.db`)

describe('the contracts', () => {
  storeContract({
    test,
    create() {
      const { now, advance } = createClock()
      const { store: subject, close } = sqlite(newFile(), { now })
      return { subject, advance, close }
    },
  })
  logContract({
    test,
    create({ maxEntries }) {
      const { now, advance } = createClock()
      const { log: subject, close } = sqlite(newFile(), { now, log: { maxEntries } })
      return { subject, advance, close }
    },
  })
  busContract({
    test,
    create() {
      const { bus: subject, close } = sqlite(newFile())
      return { subject, close }
    },
  })
})
