import { describe, expect, test } from 'vitest'
import { createTestCore } from '../../test-kit/core.ts'
import { call, openSession } from '../../test-kit/legacy.ts'
import { listen } from '../../test-kit/raw.ts'
import { clientCredentials } from '../auth/client/machine.ts'
import { protectedSite, send } from '../auth/client/protected.test-kit.ts'
import { createServer, type Server } from '../index.ts'
import { memory } from '../stores/memory.ts'
import { StoreUnavailable } from '../stores/unavailable.ts'
import { type FailingStores, failing, type StoreFault } from './failing.ts'
import { pair } from './pair.ts'

describe('stores that fail', () => {
  test('do so at the operation that is named, in the way that is wanted', async () => {
    const stores = failing(memory(), { at: 2 })
    const { store, log, bus } = stores
    await store.set('key', 'a')
    await expect(store.set('key', 'b')).rejects.toThrow(StoreUnavailable)
    expect(await store.get('key')).toBe('a')
    stores.set({ at: (operation) => operation === 'log.append', how: 'lose' })
    await expect(log.append('log', 'x')).rejects.toThrow('log.append fails')
    stores.set({ at: (operation) => operation === 'bus.publish', how: 'hang' })
    expect(await Promise.race([bus.publish('topic', 'x'), new Promise((resolve) => setTimeout(resolve, 20, 'late'))])).toBe(
      'late',
    )
    stores.set()
    expect((await log.read('log')).map(({ data }) => data)).toEqual(['x'])
    expect(stores.failures).toBe(3)
    expect(stores.operations).toEqual(['store.set', 'store.set', 'store.get', 'log.append', 'bus.publish', 'log.read'])
  })
})

/** Runs something once, and then once for each operation that it has done, which fails. Gives how each run ended. */
async function forEvery(how: StoreFault, run: (stores: FailingStores) => Promise<unknown>): Promise<unknown[]> {
  const whole = failing(memory())
  await run(whole)
  const ends: unknown[] = []
  let failures = 0
  for (let at = 1; at <= whole.operations.length; at++) {
    const stores = failing(memory(), { at, how })
    ends.push(await run(stores).catch((error: unknown) => error))
    failures += stores.failures
  }
  expect(failures).toBeGreaterThan(0)
  return ends
}

const HOW: StoreFault[] = ['reject', 'lose', 'hang']
const SOON = { storeTimeoutMs: 100 }

describe.each(HOW)('for every operation of a store: %s', (how) => {
  const asking = (stores: FailingStores): Server => {
    const server = createServer({ name: 'test', version: '1' }, { stores, limits: { maxStateBytes: 100, ...SOON } })
    server.tool('ask', {}, async (_args, call) => {
      const large = await call.step('large', () => 'x'.repeat(1000))
      const { name } = await call.elicit('Who?', { type: 'object', properties: { name: { type: 'string' } } })
      return `${name} ${large.length}`
    })
    return server
  }

  test('the state of a call: an answer or an error, and the next call is answered', async () => {
    const ends = await forEvery(how, async (stores) => {
      const client = await pair(asking(stores), { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) })
      try {
        return await client.callTool('ask')
      } finally {
        stores.set()
        expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'Ada 1000' }])
        await client.close()
      }
    })
    for (const end of ends)
      if (end instanceof Error) expect(end).toMatchObject({ name: 'RpcError' })
      else expect(end).toMatchObject({ content: [{ text: 'Ada 1000' }] })
  })

  test("a client's kept results: it asks the server instead", async () => {
    const server = createServer({ name: 'test', version: '1' })
    server.resource('note://a', { name: 'a', cache: { ttlMs: 60_000 } }, () => 'text')
    const ends = await forEvery(how, async ({ store }) => {
      const client = await pair(server, { cache: { store, ...SOON } })
      for (let turn = 0; turn < 2; turn++) expect((await client.read('note://a')).contents).toMatchObject([{ text: 'text' }])
      await client.close()
    })
    expect(ends.filter(Boolean)).toEqual([])
  })

  test('the tokens of a client: it is answered, or told that its store is away', async () => {
    const client = { clientId: 'nightly', clientSecret: 'secret' }
    const { endpoint, close } = await protectedSite({ clients: [{ client_id: 'nightly', client_secret: 'secret' }] })
    const ends = await forEvery(how, ({ store }) => send(clientCredentials({ client, store, ...SOON }), endpoint))
    for (const end of ends) if (end !== 200) expect(end).toBeInstanceOf(Error)
    await close()
  })
})

describe.each<StoreFault>(HOW)('for every operation of a log: %s', (how) => {
  test('the events of a session: all arrive, without ids while the log fails, and nobody resumes past a gap', async () => {
    const ends = await forEvery(how, async ({ log }) => {
      const errors: unknown[] = []
      const core = createTestCore()
      const { connect } = await listen(core.exchange, { log, storeTimeoutMs: 100, onError: (error) => errors.push(error) })
      const client = await openSession(connect, '2025-06-18')
      const raw = connect().send(client.post(call('hold', { say: true })))
      await raw.head()
      const [first] = [await raw.event(), core.release()]
      const events = [first, await raw.event(), await raw.event()]
      expect(events.map(({ json }) => json.params?.progress ?? json.result.content)).toEqual([
        1,
        2,
        [{ type: 'text', text: 'hold' }],
      ])
      for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailable)
      const { status } = first.id
        ? await connect()
            .send(client.get({ 'Last-Event-ID': first.id }))
            .head()
        : { status: 0 }
      return { ids: events.map(({ id }) => id !== undefined), errors: errors.length, status }
    })
    const all = { ids: [true, true, true], errors: 0, status: 200 }
    const begins = { ids: [false, true, true], errors: 1, status: 0 }
    const missesOne = { ids: [true, false, true], errors: 1, status: 404 }
    const missesTheLast = { ids: [true, true, false], errors: 1, status: 404 }
    const cannotBeRead = { ...all, errors: 1, status: 500 }
    expect(ends).toEqual([begins, missesOne, missesTheLast, cannotBeRead])
  })
})
