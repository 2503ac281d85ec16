/** Redis when it is away, full or broken. */
import { Redis } from 'ioredis'
import { type Stores, StoreUnavailable } from 'portcall/stores'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, PATIENCE_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { startRedis } from '../support/services/redis.mjs'
import { hasDisks } from '../support/services/service.mjs'
import { describeAway } from './support/away.ts'
import { REDIS_DRIVERS } from './support/drivers.ts'

const server = await startRedis()
afterAll(() => server?.stop())

for (const [driver, open] of Object.entries(REDIS_DRIVERS)) {
  if (!server) test.skip(`${driver}: there is no Redis here`, () => {})
  else {
    describeAway(`redis with ${driver}`, server, open)

    describe(`redis with ${driver}, full`, () => {
      test('memory: writes are refused with the reason, reads go on, and all is well when there is room', async () => {
        const admin = new Redis(server.url)
        const stores = open(server.url, { place: `full_${driver}`, timeoutMs: PATIENCE_MS })
        try {
          await stores.store.set('key', 'value')
          await admin.config('SET', 'maxmemory', '1')
          await expectRefused(stores, /OOM/)
          await admin.config('SET', 'maxmemory', '0')
          await stores.store.set('key', 'other')
          expect(await stores.log.append('log', 'x')).toMatch(/^[!-~]+$/)
        } finally {
          await stores.close()
          admin.disconnect()
        }
      })

      test.skipIf(!hasDisks)(
        'disk: writes are refused with the reason, reads go on, and all is well when there is room',
        async () => {
          const small = await startRedis({ args: ['--appendfsync', 'everysec'], diskMb: 8 })
          const stores = open(small?.url ?? '', { place: 'full', timeoutMs: PATIENCE_MS })
          try {
            await stores.store.set('key', 'value')
            small?.fillDisk()
            await eventually(() => expect(stores.store.set('other', 'x'.repeat(10_000))).rejects.toBeInstanceOf(StoreUnavailable))
            await expectRefused(stores, /MISCONF/)
            small?.freeDisk()
            await eventually(() => stores.store.set('key', 'other'))
            expect(await stores.store.get('key')).toBe('other')
          } finally {
            await stores.close()
            await small?.stop()
          }
        },
      )
    })
  }
}

async function expectRefused({ store, log }: Stores, reason: RegExp): Promise<void> {
  const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(reason) }
  await expect(store.set('key', 'x')).rejects.toMatchObject(refused)
  await expect(log.append('log', 'x')).rejects.toMatchObject(refused)
  expect(await store.get('key')).toBe('value')
}
