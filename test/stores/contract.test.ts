/** The contracts of stores, on every backend with every driver. */
import { memory, type Stores } from 'portcall/stores'
import { busContract, logContract, storeContract } from 'portcall/testing'
import { afterAll, describe, test } from 'vitest'
import { startRedis } from '../support/services/redis.mjs'
import { REDIS_DRIVERS } from './support/drivers.ts'

const redisServer = await startRedis()
afterAll(() => redisServer?.stop())

let made = 0
const freshPrefix = (): string => `{test ${process.pid}-${made++}}:`

function contracts(open: (wanted: { prefix: string; maxEntries?: number }) => Stores): void {
  const subjectOf = <T>(pick: (stores: Stores) => T, maxEntries?: number) => {
    const stores = open({ prefix: freshPrefix(), ...(maxEntries && { maxEntries }) })
    return { subject: pick(stores), close: () => stores.close() }
  }
  storeContract({ test, create: () => subjectOf(({ store }) => store) })
  logContract({ test, create: ({ maxEntries }) => subjectOf(({ log }) => log, maxEntries) })
  busContract({ test, create: () => subjectOf(({ bus }) => bus) })
}

describe('memory', () => contracts(({ maxEntries }) => memory({ log: maxEntries ? { maxEntries } : {} })))

describe.each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open) => {
  if (!redisServer) test.skip('there is no Redis here', () => {})
  else contracts((wanted) => open(redisServer.url, wanted))
})
