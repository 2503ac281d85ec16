import { describe, expect, test } from 'vitest'
import { send, startDpopServer } from '../../../test-kit/auth/dpop-server.ts'
import { listen } from '../../../test-kit/raw-connection.ts'
import { call, openSession } from '../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../test-kit/test-core.ts'
import { clientCredentials } from '../../auth/client/grants/client-credentials.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { StoreUnavailableError } from '../../stores/errors.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import { connectPair } from '../pair/pair.ts'
import { type FaultyStores, faultyStores, type StoreFault } from './faulty-stores.ts'

describe('faulty stores', () => {
  test('fail at the configured operation, in the configured mode', async () => {
    const stores = faultyStores(memoryStores(), { at: 2 })
    const { store, log, bus } = stores
    await store.set('key', 'a')
    await expect(store.set('key', 'b')).rejects.toThrow(StoreUnavailableError)
    expect(await store.get('key')).toBe('a')
    stores.setFaults({ at: (operation) => operation === 'log.append', mode: 'lose' })
    await expect(log.append('log', 'x')).rejects.toThrow('log.append failed')
    stores.setFaults({ at: (operation) => operation === 'bus.publish', mode: 'hang' })
    expect(await Promise.race([bus.publish('topic', 'x'), new Promise((resolve) => setTimeout(resolve, 20, 'pending'))])).toBe(
      'pending',
    )
    stores.setFaults()
    expect((await log.read('log')).map(({ data }) => data)).toEqual(['x'])
    expect(stores.failures).toBe(3)
    expect(stores.operations).toEqual(['store.set', 'store.set', 'store.get', 'log.append', 'bus.publish', 'log.read'])
  })
})

/** Runs a test without faults, and then once for each of its operations, which fails. Returns the results and errors of these runs. */
async function forEvery(mode: StoreFault, run: (stores: FaultyStores) => Promise<unknown>): Promise<unknown[]> {
  const healthy = faultyStores(memoryStores())
  await run(healthy)
  const outcomes: unknown[] = []
  let failures = 0
  for (let at = 1; at <= healthy.operations.length; at++) {
    const stores = faultyStores(memoryStores(), { at, mode })
    outcomes.push(await run(stores).catch((error: unknown) => error))
    failures += stores.failures
  }
  expect(failures).toBeGreaterThan(0)
  return outcomes
}

const MODES: StoreFault[] = ['reject', 'lose', 'hang']
const SHORT_TIMEOUT = { storeTimeoutMs: 100 }

describe.each(MODES)('for every operation of a store: %s', (mode) => {
  const createAskingServer = (stores: FaultyStores): Server => {
    const server = createServer(
      { name: 'test', version: '1' },
      { stores, limits: { maxInlineRequestStateBytes: 100, ...SHORT_TIMEOUT }, onEvent() {} },
    )
    server.tool('ask', {}, async (_args, call) => {
      const large = await call.step('large', () => 'x'.repeat(1000))
      const { name } = await call.elicit('Who?', { type: 'object', properties: { name: { type: 'string' } } })
      return `${name} ${large.length}`
    })
    return server
  }

  test('request state: the call succeeds or fails, and the next one succeeds', async () => {
    const outcomes = await forEvery(mode, async (stores) => {
      const client = await connectPair(createAskingServer(stores), {
        elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      })
      try {
        return await client.callTool('ask')
      } finally {
        stores.setFaults()
        expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'Ada 1000' }])
        await client.close()
      }
    })
    for (const end of outcomes)
      if (end instanceof Error) expect(end).toMatchObject({ name: 'RpcError' })
      else expect(end).toMatchObject({ content: [{ text: 'Ada 1000' }] })
  })

  test('client cache: the client sends a request instead', async () => {
    const server = createServer({ name: 'test', version: '1' })
    server.resource('note://a', { name: 'a', cache: { ttlMs: 60_000 } }, () => 'text')
    const outcomes = await forEvery(mode, async ({ store }) => {
      const client = await connectPair(server, { cache: { store, ...SHORT_TIMEOUT } })
      for (let turn = 0; turn < 2; turn++)
        expect((await client.readResource('note://a')).contents).toMatchObject([{ text: 'text' }])
      await client.close()
    })
    expect(outcomes.filter(Boolean)).toEqual([])
  })

  test('client tokens: the request succeeds, or fails with an error of the store', async () => {
    const client = { clientId: 'nightly', clientSecret: 'secret' }
    const { endpoint, close } = await startDpopServer({ clients: [{ client_id: 'nightly', client_secret: 'secret' }] })
    const outcomes = await forEvery(mode, ({ store }) => send(clientCredentials({ client, store, ...SHORT_TIMEOUT }), endpoint))
    for (const end of outcomes) if (end !== 200) expect(end).toBeInstanceOf(Error)
    await close()
  })
})

describe.each<StoreFault>(MODES)('for every operation of a log: %s', (mode) => {
  test('session events: all are delivered, without IDs while the log fails, and a stream with a gap cannot be resumed', async () => {
    const outcomes = await forEvery(mode, async ({ log: eventLog }) => {
      const errors: unknown[] = []
      const core = createTestCore()
      const { connect } = await listen(core.exchange, { eventLog, storeTimeoutMs: 100, onError: (error) => errors.push(error) })
      const client = await openSession(connect, '2025-06-18')
      const raw = connect().send(client.post(call('hold', { notify: true })))
      await raw.head()
      const [first] = [await raw.event(), core.release()]
      const events = [first, await raw.event(), await raw.event()]
      expect(events.map(({ json }) => json.params?.progress ?? json.result.content)).toEqual([
        1,
        2,
        [{ type: 'text', text: 'hold' }],
      ])
      for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailableError)
      const { status } = first.id
        ? await connect()
            .send(client.get({ 'Last-Event-ID': first.id }))
            .head()
        : { status: 0 }
      return { ids: events.map(({ id }) => id !== undefined), errors: errors.length, status }
    })
    const all = { ids: [true, true, true], errors: 0, status: 200 }
    const failsAtStart = { ids: [false, true, true], errors: 1, status: 0 }
    const missesOne = { ids: [true, false, true], errors: 1, status: 404 }
    const missesTheLast = { ids: [true, true, false], errors: 1, status: 404 }
    const cannotBeRead = { ...all, errors: 1, status: 500 }
    expect(outcomes).toEqual([failsAtStart, missesOne, missesTheLast, cannotBeRead])
  })
})
