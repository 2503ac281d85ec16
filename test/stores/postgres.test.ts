/** PostgreSQL when it is unavailable, full or read-only. */
import { type Stores, StoreUnavailableError } from 'portcall/stores'
import { afterAll, describe, expect, test } from 'vitest'
import { EVENTUALLY_TIMEOUT_MS, eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { hasDisks } from '../support/services/service.mjs'
import { administerPostgres } from './support/administer.ts'
import { POSTGRES_DRIVERS } from './support/drivers.ts'
import { testOutages } from './support/outage-tests.ts'

const server = await startPostgres({ args: ['-c', 'fsync=off'] })
afterAll(() => server?.stop())

for (const [driver, open] of Object.entries(POSTGRES_DRIVERS)) {
  if (!server) test.skip(`${driver}: PostgreSQL is not installed`, () => {})
  else {
    testOutages(`postgres with ${driver}`, server, open)

    describe(`postgres with ${driver}, rejecting writes`, () => {
      test('read-only: writes are rejected with the reason, reads succeed, and writes succeed again afterwards', async () => {
        const stores = open(server.url, { namespace: `read_only_${driver}`, timeoutMs: EVENTUALLY_TIMEOUT_MS })
        try {
          await stores.store.set('key', 'value')
          await administerPostgres(server.url, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
          await eventually(() => expect(stores.store.set('key', 'value')).rejects.toBeInstanceOf(StoreUnavailableError))
          await expectRejected(stores, /read-only/)
          await administerPostgres(
            server.url,
            'set default_transaction_read_only = off',
            'alter system reset default_transaction_read_only',
            'select pg_reload_conf()',
          )
          await eventually(() => stores.store.set('key', 'other'))
        } finally {
          await stores.close()
        }
      })

      test.skipIf(!hasDisks)(
        'full disk: writes are rejected with the reason, reads succeed, and writes succeed again when there is space',
        async () => {
          const smallServer = await startPostgres({ diskMb: 200 })
          const stores = open(smallServer?.url ?? '', { namespace: 'full', timeoutMs: EVENTUALLY_TIMEOUT_MS })
          try {
            await stores.store.set('key', 'value')
            smallServer?.fillDisk()
            await expect(fill(stores)).rejects.toMatchObject({
              code: 'STORE_UNAVAILABLE',
              message: expect.stringMatching(/No space left/),
            })
            expect(await stores.store.get('key')).toBe('value')
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

/** Writes more than the allocated files can hold. */
async function fill({ store }: Stores): Promise<void> {
  for (let at = 0; at < 100; at++) await store.set(`filler ${at}`, crypto.getRandomValues(new Uint8Array(30_000)).join())
}

async function expectRejected({ store, log }: Stores, reason: RegExp): Promise<void> {
  const unavailable = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(reason) }
  await expect(store.set('key', 'x')).rejects.toMatchObject(unavailable)
  await expect(log.append('log', 'x')).rejects.toMatchObject(unavailable)
  expect(await store.get('key')).toBe('value')
}
