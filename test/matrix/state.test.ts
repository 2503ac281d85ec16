import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, generateKey, type Server, type ServerOptions } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { createDriver } from '../support/driver.ts'
import { memoryWire } from '../support/wire-memory.ts'

/** Creates a server with a tool that requires input; the principal is the one the client names. */
function createServerUnderTest(options: ServerOptions): Server {
  const server = createServer({ name: 'asking', version: '1' }, options)
  server.use((request, { signal, ask, closeStream, readParamHeader, http, notify }, next) => {
    const { 'test/principal': principal = 'nobody' } = (request.params?._meta ?? {}) as { 'test/principal'?: string }
    return next(request, {
      signal,
      ask,
      closeStream,
      readParamHeader,
      http,
      notify: (message) => notify(message),
      auth: { principal },
    })
  })
  return server.tool('asks', { input: z.object({ what: z.string() }) }, async ({ what }, call) => {
    const { yes } = await call.elicit(`Really ${what}?`, z.object({ yes: z.boolean() }))
    return yes ? `${what} done` : 'nothing done'
  })
}

type Call = (params?: JsonObject, principal?: string) => Promise<JsonObject>

/** Creates a function that calls the tool without answering its input requests. */
async function createCaller(options: ServerOptions): Promise<Call> {
  const server = createServerUnderTest(options)
  const peer = await createDriver((receive) => memoryWire(server, receive), { transport: 'memory', revision: '2026-07-28' })
  onTestFinished(() => peer.close())
  return async (params = {}, principal = 'ada') => {
    const request = { name: 'asks', arguments: { what: 'it' }, ...params }
    const { error, result } = await peer.request('tools/call', request, { meta: { 'test/principal': principal }, follow: false })
    return error ? { error } : result
  }
}

/** Returns the params of the next round trip, with every input request accepted. */
function acceptAll({ requestState, inputRequests }: JsonObject): JsonObject {
  const accept = { action: 'accept', content: { yes: true } }
  return { requestState, inputResponses: Object.fromEntries(Object.keys(inputRequests as object).map((key) => [key, accept])) }
}

const DONE = { content: [{ text: 'it done' }] }
const REJECTED = { error: { code: -32602 } }

test('3.2 request state survives a restart with the same keys, also after a newer key was added', async () => {
  const [older, newer] = [generateKey(), generateKey()]
  const before = await createCaller({ sealingKeys: [older] })
  const after = await createCaller({ sealingKeys: [newer, older] })
  expect(await after(acceptAll(await before()))).toMatchObject(DONE)
  expect(await before(acceptAll(await after()))).toMatchObject(REJECTED)
})

test('3.2 without configured keys, request state is valid only for its server', async () => {
  const [before, after] = [await createCaller({}), await createCaller({})]
  expect(await after(acceptAll(await before()))).toMatchObject(REJECTED)
})

test('MRTR-016 ELI-037 request state is bound to its principal', async () => {
  const call = await createCaller({})
  const next = acceptAll(await call({}, 'ada'))
  expect(await call(next, 'eve')).toMatchObject(REJECTED)
  expect(await call(next, 'ada')).toMatchObject(DONE)
})

test('MRTR-016 60.3.30 request state is bound to its arguments', async () => {
  const call = await createCaller({})
  const next = acceptAll(await call())
  expect(await call({ ...next, arguments: { what: 'something else' } })).toMatchObject(REJECTED)
})

test('MRTR-016 request state expires', async () => {
  const call = await createCaller({ limits: { requestStateTtlMs: 20 } })
  const next = acceptAll(await call())
  await sleep(40)
  expect(await call(next)).toMatchObject(REJECTED)
})
