import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, generateKey, type Server, type ServerOptions } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { createDriver } from '../support/driver.ts'
import { memoryWire } from '../support/wire-memory.ts'

/** A server that asks before it answers; the caller is whoever the client says. */
function createAsking(options: ServerOptions): Server {
  const server = createServer({ name: 'asking', version: '1' }, options)
  server.use((request, { signal, ask, release, mirror, http, notify }, next) => {
    const { 'test/principal': principal = 'nobody' } = (request.params?._meta ?? {}) as { 'test/principal'?: string }
    return next(request, { signal, ask, release, mirror, http, notify: (message) => notify(message), auth: { principal } })
  })
  return server.tool('asks', { input: z.object({ what: z.string() }) }, async ({ what }, call) => {
    const { yes } = await call.elicit(`Really ${what}?`, z.object({ yes: z.boolean() }))
    return yes ? `${what} done` : 'nothing done'
  })
}

type Call = (params?: JsonObject, principal?: string) => Promise<JsonObject>

/** Calls the tool of a server, without answering its questions. */
async function callerOf(options: ServerOptions): Promise<Call> {
  const server = createAsking(options)
  const peer = await createDriver((receive) => memoryWire(server, receive), { transport: 'memory', revision: '2026-07-28' })
  onTestFinished(() => peer.close())
  return async (params = {}, principal = 'ada') => {
    const request = { name: 'asks', arguments: { what: 'it' }, ...params }
    const { error, result } = await peer.request('tools/call', request, { meta: { 'test/principal': principal }, follow: false })
    return error ? { error } : result
  }
}

/** The answer to a question, as params of the next round. */
function answered({ requestState, inputRequests }: JsonObject): JsonObject {
  const accept = { action: 'accept', content: { yes: true } }
  return { requestState, inputResponses: Object.fromEntries(Object.keys(inputRequests as object).map((key) => [key, accept])) }
}

const DONE = { content: [{ text: 'it done' }] }
const REFUSED = { error: { code: -32602 } }

test('3.2 state survives a restart when the keys do, also when a newer key seals', async () => {
  const [older, newer] = [generateKey(), generateKey()]
  const before = await callerOf({ keys: [older] })
  const after = await callerOf({ keys: [newer, older] })
  expect(await after(answered(await before()))).toMatchObject(DONE)
  expect(await before(answered(await after()))).toMatchObject(REFUSED)
})

test('3.2 without keys, state does not outlive its server', async () => {
  const [before, after] = [await callerOf({}), await callerOf({})]
  expect(await after(answered(await before()))).toMatchObject(REFUSED)
})

test('MRTR-016 ELI-037 state belongs to the one who was asked', async () => {
  const call = await callerOf({})
  const next = answered(await call({}, 'ada'))
  expect(await call(next, 'eve')).toMatchObject(REFUSED)
  expect(await call(next, 'ada')).toMatchObject(DONE)
})

test('MRTR-016 60.3.30 what was agreed to is what is done', async () => {
  const call = await callerOf({})
  const next = answered(await call())
  expect(await call({ ...next, arguments: { what: 'something else' } })).toMatchObject(REFUSED)
})

test('MRTR-016 state expires', async () => {
  const call = await callerOf({ limits: { stateTtlMs: 20 } })
  const next = answered(await call())
  await sleep(40)
  expect(await call(next)).toMatchObject(REFUSED)
})
