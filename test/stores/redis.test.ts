/** Redis when it is unavailable or full. */
import { Redis } from 'ioredis'
import { type Stores, StoreUnavailableError } from 'portcall/stores'
import { afterAll, describe, expect, test } from 'vitest'
import { EVENTUALLY_TIMEOUT_MS, eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startRedis } from '../support/services/redis.mjs'
import { hasDisks } from '../support/services/service.mjs'
import { REDIS_DRIVERS } from './support/drivers.ts'
import { testOutages } from './support/outage-tests.ts'

const server = await startRedis()
afterAll(() => server?.stop())

for (const [driver, open] of Object.entries(REDIS_DRIVERS)) {
  if (!server) test.skip(`${driver}: Redis is not installed`, () => {})
  else {
    testOutages(`redis with ${driver}`, server, open)

    describe(`redis with ${driver}, full`, () => {
      test('full memory: writes are rejected with the reason, reads succeed, and writes succeed again when there is space', async () => {
        const admin = new Redis(server.url)
        const stores = open(server.url, { namespace: `full_${driver}`, timeoutMs: EVENTUALLY_TIMEOUT_MS })
        try {
          await stores.store.set('key', 'value')
          await admin.config('SET', 'maxmemory', '1')
          await expectRejected(stores, /OOM/)
          await admin.config('SET', 'maxmemory', '0')
          await stores.store.set('key', 'other')
          expect(await stores.log.append('log', 'x')).toMatch(/^[!-~]+$/)
        } finally {
          await stores.close()
          admin.disconnect()
        }
      })

      test.skipIf(!hasDisks)(
        'full disk: writes are rejected with the reason, reads succeed, and writes succeed again when there is space',
        async () => {
          const smallServer = await startRedis({ args: ['--appendfsync', 'everysec'], diskMb: 8 })
          const stores = open(smallServer?.url ?? '', { namespace: 'full', timeoutMs: EVENTUALLY_TIMEOUT_MS })
          try {
            await stores.store.set('key', 'value')
            smallServer?.fillDisk()
            await eventually(() =>
              expect(stores.store.set('other', 'x'.repeat(10_000))).rejects.toBeInstanceOf(StoreUnavailableError),
            )
            await expectRejected(stores, /MISCONF/)
            smallServer?.freeDisk()
            await eventually(() => stores.store.set('key', 'other'))
            expect(await stores.store.get('key')).toBe('other')
          } finally {
            await stores.close()
            await smallServer?.stop()
          }
        },
      )
    })
  }
}

async function expectRejected({ store, log }: Stores, reason: RegExp): Promise<void> {
  const unavailable = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(reason) }
  await expect(store.set('key', 'x')).rejects.toMatchObject(unavailable)
  await expect(log.append('log', 'x')).rejects.toMatchObject(unavailable)
  expect(await store.get('key')).toBe('value')
}
