/** The stores behind PgBouncer. */
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startPgBouncer } from '../support/services/pgbouncer.mjs'
import { startPostgres } from '../support/services/postgres.mjs'
import { POSTGRES_DRIVERS } from './support/drivers.ts'

const server = await startPostgres({ args: ['-c', 'fsync=off'] })
const start = (mode: 'session' | 'transaction') => (server ? startPgBouncer({ target: server.port, mode }) : undefined)
const [session, transaction] = await Promise.all([start('session'), start('transaction')])
afterAll(() => Promise.all([session?.stop(), transaction?.stop()]).then(() => server?.stop()))

let created = 0
const uniqueName = (): string => `pooler_${process.pid}_${created++}`

describe.skipIf(!session || !transaction).each(Object.entries(POSTGRES_DRIVERS))('PgBouncer with %s', (_, open) => {
  test('in session mode: everything works', async () => {
    const stores = open(session?.url ?? '', { namespace: uniqueName(), timeoutMs: 10_000 })
    const received: string[] = []
    await stores.bus.subscribe('topic', (message) => void received.push(message))
    await stores.store.set('a', '1')
    await stores.bus.publish('topic', 'hello')
    await eventually(() => expect(received).toEqual(['hello']))
    expect(await stores.store.get('a')).toBe('1')
    await stores.close()
  })

  test('in transaction mode: subscribing fails and names the pooler, and the store goes on', async () => {
    const stores = open(transaction?.url ?? '', { namespace: uniqueName(), timeoutMs: 4000 })
    await stores.store.set('a', '1').catch(() => {})
    await expect(stores.bus.subscribe('topic', () => {})).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('a pooler in transaction mode'),
    })
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => stores.store.get('a')))
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(String(outcome.reason)).toContain('a pooler in transaction mode')
    await stores.close()
  })
})
