/** PostgreSQL when it is away, full, read-only or not ready yet. */
import pg from 'pg'
import { type Stores, StoreUnavailable } from 'portcall/stores'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually, PATIENCE_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { hasDisks } from '../support/services/service.mjs'
import { describeAway } from './support/away.ts'
import { POSTGRES_DRIVERS } from './support/drivers.ts'

const server = await startPostgres({ args: ['-c', 'fsync=off'] })
afterAll(() => server?.stop())

for (const [driver, open] of Object.entries(POSTGRES_DRIVERS)) {
  if (!server) test.skip(`${driver}: there is no PostgreSQL here`, () => {})
  else {
    describeAway(`postgres with ${driver}`, server, open)

    describe(`postgres with ${driver}, refusing`, () => {
      test('read-only: writes are refused with the reason, reads go on, and all is well when it ends', async () => {
        const stores = open(server.url, { place: `read_only_${driver}`, timeoutMs: PATIENCE_MS })
        try {
          await stores.store.set('key', 'value')
          await administer(server.url, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()')
          await eventually(() => expect(stores.store.set('key', 'value')).rejects.toBeInstanceOf(StoreUnavailable))
          await expectRefused(stores, /read-only/)
          await administer(
            server.url,
            'set default_transaction_read_only = off; alter system reset default_transaction_read_only',
            'select pg_reload_conf()',
          )
          await eventually(() => stores.store.set('key', 'other'))
        } finally {
          await stores.close()
        }
      })

      test.skipIf(!hasDisks)(
        'disk: writes are refused with the reason, reads go on, and all is well when there is room',
        async () => {
          const small = await startPostgres({ diskMb: 200 })
          const stores = open(small?.url ?? '', { place: 'full', timeoutMs: PATIENCE_MS })
          try {
            await stores.store.set('key', 'value')
            small?.fillDisk()
            await expect(fill(stores)).rejects.toMatchObject({
              code: 'STORE_UNAVAILABLE',
              message: expect.stringMatching(/No space left/),
            })
            expect(await stores.store.get('key')).toBe('value')
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

async function administer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements.flatMap((text) => text.split('; '))) await client.query(statement)
  await client.end()
}

/** Writes more than fits into what is there already. */
async function fill({ store }: Stores): Promise<void> {
  for (let at = 0; at < 100; at++) await store.set(`filler ${at}`, crypto.getRandomValues(new Uint8Array(30_000)).join())
}

async function expectRefused({ store, log }: Stores, reason: RegExp): Promise<void> {
  const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(reason) }
  await expect(store.set('key', 'x')).rejects.toMatchObject(refused)
  await expect(log.append('log', 'x')).rejects.toMatchObject(refused)
  expect(await store.get('key')).toBe('value')
}
