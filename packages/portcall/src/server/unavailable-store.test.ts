import { expect, test } from 'vitest'
import * as z from 'zod'
import { callerOf } from '../../test-kit/server.ts'
import { StoreUnavailableError } from '../stores/errors.ts'
import { memoryStores } from '../stores/memory/memory.ts'
import { generateKey } from '../stores/sealing/seal.ts'
import type { Call } from './call.ts'
import { createServer } from './server.ts'

const Name = z.object({ name: z.string() })
const unavailable = async (): Promise<never> => {
  throw new StoreUnavailableError('Redis failed: no response within 2000 ms')
}

/** A server whose store can be read and not written. */
function createTestServer() {
  const stores = memoryStores()
  const server = createServer(
    { name: 'unavailable', version: '1' },
    {
      stores: { ...stores, store: { ...stores.store, set: unavailable, compareAndSet: unavailable } },
      sealingKeys: [generateKey()],
      limits: { maxInlineRequestStateBytes: 1 },
      onEvent() {},
    },
  )
  server.resource('note://one', {}, unavailable)
  server.prompt('ask', {}, unavailable)
  server.tool('fails', {}, unavailable)
  server.tool('asks', {}, async (_, call: Call) => (await call.elicit('Who?', Name)).name)
  return server
}

const RETRY = { retryAfterMs: 1000 }
const MESSAGE = /^The store is unavailable; try again later. Reference: \w{8}$/

test.each([
  ['resources/read', { uri: 'note://one' }],
  ['prompts/get', { name: 'ask' }],
])('%s while the store is unavailable fails with an error that says when to try again', async (method, params) => {
  const error = await callerOf(createTestServer()).error(method, params)
  expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(MESSAGE), data: RETRY })
})

test('a call whose tool has started does not say that it may be sent again', async () => {
  const caller = callerOf(createTestServer(), { elicitation: { form: {} } })
  expect(await caller.result('tools/call', { name: 'fails' })).toMatchObject({ isError: true })
  const error = await caller.error('tools/call', { name: 'asks' })
  expect(error).toEqual({ code: -32603, message: expect.stringMatching(MESSAGE) })
})

test('a call that middleware fails does not say that it may be sent again, other requests do', async () => {
  const server = createTestServer()
  server.use(unavailable)
  expect((await callerOf(server).error('tools/call', { name: 'fails' })).data).toBeUndefined()
  expect((await callerOf(server).error('tools/list')).data).toEqual(RETRY)
})
