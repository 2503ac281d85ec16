import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { type Caller, callerOf } from '../../../test-kit/server.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { generateKey } from '../../stores/sealing/seal.ts'
import { createServer } from '../server.ts'
import type { Server } from '../types.ts'

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const name = z.object({ name: z.string() })
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content })

function serverWith(handler: Parameters<Server['tool']>[2], options: Parameters<typeof createServer>[1] = {}): Server {
  const server = createServer({ name: 'test', version: '1' }, options)
  server.tool('ask', { input: { type: 'object' } }, handler as never)
  return server
}

/** Calls the tool and responds to each input request by its key until the result is complete. */
async function callTool(
  caller: Caller,
  responses: JsonObject,
  args: JsonObject = {},
): Promise<{ result: JsonObject; roundTrips: string[][] }> {
  const roundTrips: string[][] = []
  let result = await caller.result('tools/call', { name: 'ask', arguments: args })
  while (result.resultType === 'input_required' && roundTrips.length < 10) {
    const keys = Object.keys(result.inputRequests as object)
    roundTrips.push(keys)
    const inputResponses = Object.fromEntries(keys.map((key) => [key, responses[key]]))
    result = await caller.result('tools/call', {
      name: 'ask',
      arguments: args,
      inputResponses,
      requestState: result.requestState,
    })
  }
  return { result, roundTrips }
}

describe('input requests of a call', () => {
  it('MRTR-001 MRTR-003 MRTR-012 are sent one after the other, and the handler runs again from the start each time', async () => {
    const runs = vi.fn()
    const server = serverWith(async (_args, call) => {
      runs()
      const first = await call.elicit('first?', name)
      const second = await call.elicit('second?', name)
      return `${first.name} ${second.name}`
    })
    const { result, roundTrips } = await callTool(callerOf(server, CAPABILITIES), {
      'elicit-1': accept({ name: 'Ada' }),
      'elicit-2': accept({ name: 'Bob' }),
    })
    expect(result.content).toEqual([{ type: 'text', text: 'Ada Bob' }])
    expect(roundTrips).toEqual([['elicit-1'], ['elicit-2']])
    expect(runs).toHaveBeenCalledTimes(3)
  })

  it('of one Promise.all are sent in one round trip', async () => {
    const server = serverWith(async (_args, call) => {
      const [who, model, roots] = await Promise.all([
        call.elicit('who?', name, { key: 'who' }),
        call.sample({ messages: [], maxTokens: 1 }, { key: 'model' }),
        call.roots({ key: 'roots' }),
      ])
      return `${who.name} ${model.model} ${roots.length}`
    })
    const responses = {
      who: accept({ name: 'Ada' }),
      model: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      roots: { roots: [] },
    }
    const { result, roundTrips } = await callTool(callerOf(server, CAPABILITIES), responses)
    expect(result.content).toEqual([{ type: 'text', text: 'Ada m 0' }])
    expect(roundTrips).toEqual([['who', 'model', 'roots']])
  })

  it('MRTR-017 do not run a step again, but a finally block in each round trip', async () => {
    const charge = vi.fn(() => 42)
    const cleanup = vi.fn()
    const server = serverWith(async (_args, call) => {
      try {
        const receipt = await call.step('charge', charge)
        const { name: who } = await call.elicit('who?', name)
        return `${who} ${receipt}`
      } finally {
        cleanup()
      }
    })
    const { result } = await callTool(callerOf(server, CAPABILITIES), { 'elicit-1': accept({ name: 'Ada' }) })
    expect(result.content).toEqual([{ type: 'text', text: 'Ada 42' }])
    expect(charge).toHaveBeenCalledTimes(1)
    expect(cleanup).toHaveBeenCalledTimes(2)
  })

  it('each run gets the results of steps as JSON, the first one too', async () => {
    const values = () => [
      undefined,
      new Date(0),
      Number.NaN,
      { a: undefined, f() {}, at: new Date(0) },
      Buffer.from('a'),
      [undefined],
    ]
    const runs: unknown[] = []
    const server = serverWith(async (_args, call) => {
      const results: unknown[] = []
      for (const [at, value] of values().entries()) results.push(await call.step(`step ${at}`, () => value))
      runs.push(results)
      const { name: who } = await call.elicit('who?', name)
      return who
    })
    await callTool(callerOf(server, CAPABILITIES), { 'elicit-1': accept({ name: 'Ada' }) })
    const date = '1970-01-01T00:00:00.000Z'
    const stored = [null, date, null, { at: date }, { type: 'Buffer', data: [97] }, [null]]
    expect(runs).toEqual([stored, stored])
  })

  it('two steps of one run with the same name are an error, also if the first one is of an earlier run; a failed step can be tried again', async () => {
    const outcomes: unknown[] = []
    const server = serverWith(async (_args, call) => {
      const step = (effect: () => number) => call.step('charge', effect).catch((error: unknown) => error)
      const failing = (): number => {
        throw new Error('declined')
      }
      outcomes.push([await step(failing), await step(() => 1), await step(() => 2)])
      return (await call.elicit('who?', name)).name
    })
    await callTool(callerOf(server, CAPABILITIES), { 'elicit-1': accept({ name: 'Ada' }) })
    const duplicate = new TypeError(
      'call.step: there are two steps with the name "charge" in one run, and only the result of one is stored. Give each step another name; in a loop, put the item into it',
    )
    expect(outcomes).toEqual([
      [new Error('declined'), 1, duplicate],
      [1, duplicate, duplicate],
    ])
  })

  it('ELI-024 are repeated when the content does not match the schema', async () => {
    const server = serverWith(async (_args, call) => (await call.elicit('who?', name)).name)
    const caller = callerOf(server, CAPABILITIES)
    const first = await caller.result('tools/call', { name: 'ask' })
    const retry = { name: 'ask', requestState: first.requestState }
    const again = await caller.result('tools/call', { ...retry, inputResponses: { 'elicit-1': accept({ name: 7 }) } })
    expect(again.resultType).toBe('input_required')
    expect(Object.keys(again.inputRequests as object)).toEqual(['elicit-1'])
  })

  it('ELI-013 fail the call when the user declines', async () => {
    const server = serverWith(async (_args, call) => (await call.elicit('who?', name)).name)
    const { result } = await callTool(callerOf(server, CAPABILITIES), { 'elicit-1': { action: 'decline' } })
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The user declined to answer' }] })
  })

  it('are sent even if the handler catches the suspension', async () => {
    const server = serverWith(async (_args, call) =>
      call.elicit('who?', name).then(
        () => 'asked',
        () => 'swallowed',
      ),
    )
    expect((await callTool(callerOf(server, CAPABILITIES), { 'elicit-1': accept({ name: 'Ada' }) })).result.content).toEqual([
      { type: 'text', text: 'asked' },
    ])
  })

  it('BASE-042 MRTR-005 ELI-003 need a capability of the client', async () => {
    const server = serverWith(async (_args, call) => (await call.elicit('who?', name)).name)
    expect(await callerOf(server).error('tools/call', { name: 'ask' })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    })
    const byUrl = serverWith(async (_args, call) => call.elicitUrl('go', 'https://example.com/'))
    expect(await callerOf(byUrl, { elicitation: {} }).error('tools/call', { name: 'ask' })).toMatchObject({ code: -32021 })
  })
})

describe('request state', () => {
  const handler = async (_args: unknown, call: Parameters<Parameters<Server['tool']>[2]>[1]): Promise<string> =>
    (await call.elicit('who?', name)).name
  const responses = { 'elicit-1': accept({ name: 'Ada' }) }
  const alice = { auth: { principal: 'alice' } }

  async function suspend(server: Server): Promise<unknown> {
    return (await callerOf(server, CAPABILITIES).result('tools/call', { name: 'ask', arguments: { file: 'a' } }, alice))
      .requestState
  }

  it('MRTR-014 MRTR-016 is rejected when tampered with, for another request and for another principal', async () => {
    const server = serverWith(handler as never)
    server.tool('other', { input: { type: 'object' } }, handler as never)
    const requestState = await suspend(server)
    const caller = callerOf(server, CAPABILITIES)
    const retry = { name: 'ask', arguments: { file: 'a' }, requestState, inputResponses: responses }
    expect(await caller.error('tools/call', { ...retry, requestState: `${requestState}-TAMPERED` }, alice)).toMatchObject({
      code: -32602,
    })
    expect(await caller.error('tools/call', { ...retry, requestState: 'state-handle.x' }, alice)).toMatchObject({ code: -32602 })
    expect(await caller.error('tools/call', { ...retry, arguments: { file: 'b' } }, alice)).toMatchObject({ code: -32602 })
    expect(await caller.error('tools/call', { ...retry, name: 'other' }, alice)).toMatchObject({ code: -32602 })
    expect(await caller.error('tools/call', retry, { auth: { principal: 'bob' } })).toMatchObject({ code: -32602 })
    expect(await caller.error('tools/call', { ...retry, requestState: 7 }, alice)).toMatchObject({ code: -32602 })
    expect((await caller.result('tools/call', retry, alice)).content).toEqual([{ type: 'text', text: 'Ada' }])
  })

  it('is valid after a restart with the same sealing keys', async () => {
    const sealingKeys = [generateKey()]
    const requestState = await suspend(serverWith(handler as never, { sealingKeys }))
    const retry = { name: 'ask', arguments: { file: 'a' }, requestState, inputResponses: responses }
    const restarted = callerOf(serverWith(handler as never, { sealingKeys: [generateKey(), ...sealingKeys] }), CAPABILITIES)
    expect((await restarted.result('tools/call', retry, alice)).content).toEqual([{ type: 'text', text: 'Ada' }])
    expect(await callerOf(serverWith(handler as never), CAPABILITIES).error('tools/call', retry, alice)).toMatchObject({
      code: -32602,
    })
  })

  it('expires', async () => {
    const server = serverWith(handler as never, { limits: { requestStateTtlMs: 1 } })
    const requestState = await suspend(server)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const retry = { name: 'ask', arguments: { file: 'a' }, requestState, inputResponses: responses }
    expect(await callerOf(server, CAPABILITIES).error('tools/call', retry, alice)).toMatchObject({ code: -32602 })
  })

  it('is saved in the store above its limit, and only a handle is sent', async () => {
    const { store } = memoryStores()
    const server = serverWith(
      async (_args, call) => {
        const large = await call.step('large', () => 'x'.repeat(10_000))
        return `${(await call.elicit('who?', name)).name} ${large.length}`
      },
      { stores: { ...memoryStores(), store }, limits: { maxInlineRequestStateBytes: 1000 } },
    )
    const { result } = await callTool(callerOf(server, CAPABILITIES), responses)
    expect(result.content).toEqual([{ type: 'text', text: 'Ada 10000' }])
    const { requestState } = await callerOf(server, CAPABILITIES).result('tools/call', { name: 'ask' })
    expect(String(requestState).length).toBeLessThan(1000)
  })

  it('rejects a call after the maximum number of round trips', async () => {
    let turn = 0
    const server = serverWith(async (_args, call) => (await call.elicit(`who ${++turn}?`, name)).name, {
      limits: { maxRoundTrips: 3 },
    })
    await expect(callTool(callerOf(server, CAPABILITIES), responses)).rejects.toThrow('limit of 3 round trips')
  })
})

describe('a request state is used once', () => {
  const responses = { 'elicit-1': accept({ name: 'Ada' }) }
  const used = { code: -32602, message: expect.stringContaining('requestState was used before') }
  const suspend = (server: Server): Promise<JsonObject> => callerOf(server, CAPABILITIES).result('tools/call', { name: 'ask' })
  const retryOf = ({ requestState }: JsonObject, inputResponses: JsonObject = responses): JsonObject => ({
    name: 'ask',
    requestState,
    inputResponses,
  })

  function chargeServer(options: Parameters<typeof createServer>[1] = {}) {
    const charge = vi.fn(() => 42)
    const server = serverWith(async (_args, call) => {
      const { name: who } = await call.elicit('who?', name)
      const receipt = await call.step('charge', charge)
      return `${who} ${receipt}`
    }, options)
    return { charge, server, caller: callerOf(server, CAPABILITIES) }
  }

  it('MRTR-017 for a step that runs after the response', async () => {
    const { charge, server, caller } = chargeServer()
    const retry = retryOf(await suspend(server))
    expect((await caller.result('tools/call', retry)).content).toEqual([{ type: 'text', text: 'Ada 42' }])
    expect(await caller.error('tools/call', retry)).toMatchObject(used)
    expect(await caller.error('tools/call', retryOf(retry, { 'elicit-1': accept({ name: 'Eve' }) }))).toMatchObject(used)
    expect(charge).toHaveBeenCalledTimes(1)
  })

  it('by one of several requests at the same time', async () => {
    const { charge, server, caller } = chargeServer()
    const retry = retryOf(await suspend(server))
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => caller.result('tools/call', retry)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(charge).toHaveBeenCalledTimes(1)
  })

  it.each(['inline', 'stored'])('whatever other callers store meanwhile, with states that are %s', async (where) => {
    const store = createMemoryStore({ maxEntries: 20 })
    const limits = { maxInlineRequestStateBytes: where === 'inline' ? 10_000 : 1 }
    const { charge, server } = chargeServer({ stores: { ...memoryStores(), store }, limits })
    const caller = callerOf(server, CAPABILITIES)
    const as = (principal: string): { auth: { principal: string } } => ({ auth: { principal } })
    const start = (principal: string): Promise<JsonObject> => caller.result('tools/call', { name: 'ask' }, as(principal))
    const [first, waiting] = [await start('ada'), await start('ada')]
    expect(await caller.result('tools/call', retryOf(first), as('ada'))).toMatchObject({ content: [{ text: 'Ada 42' }] })
    for (let at = 0; at < 30; at++) await caller.result('tools/call', retryOf(await start('eve')), as('eve'))
    expect(await caller.error('tools/call', retryOf(first), as('ada'))).toMatchObject({ code: -32602 })
    expect(await caller.result('tools/call', retryOf(waiting), as('ada'))).toMatchObject({ content: [{ text: 'Ada 42' }] })
    expect(charge).toHaveBeenCalledTimes(32)
  })

  it('by one of several processes that share a store', async () => {
    const stores = memoryStores()
    const [first, second] = [chargeServer({ stores }), chargeServer({ stores })]
    const retry = retryOf(await suspend(first.server))
    expect((await second.caller.result('tools/call', retry)).content).toEqual([{ type: 'text', text: 'Ada 42' }])
    expect(await first.caller.error('tools/call', retry)).toMatchObject(used)
    expect(first.charge).not.toHaveBeenCalled()
  })

  it('although a copy of it took another path through later round trips', async () => {
    const charge = vi.fn(() => 42)
    const server = serverWith(async (_args, call) => {
      const first = await call.elicit('who?', name)
      const second = await call.elicit(`and for ${first.name}?`, name)
      await call.step('charge', charge)
      return second.name
    })
    const caller = callerOf(server, CAPABILITIES)
    const start = await suspend(server)
    const [one, two] = [
      await caller.result('tools/call', retryOf(start)),
      await caller.result('tools/call', retryOf(start, { 'elicit-1': accept({ name: 'Eve' }) })),
    ]
    const answer = { 'elicit-2': accept({ name: 'Bob' }) }
    expect((await caller.result('tools/call', retryOf(one, answer))).content).toEqual([{ type: 'text', text: 'Bob' }])
    expect(await caller.error('tools/call', retryOf(two, answer))).toMatchObject(used)
    expect(charge).toHaveBeenCalledTimes(1)
  })

  it('in each of several round trips with steps', async () => {
    const effects = vi.fn((effect: string) => effect)
    const server = serverWith(async (_args, call) => {
      const before = await call.step('before', () => effects('before'))
      await call.elicit('who?', name)
      const between = await call.step('between', () => effects('between'))
      await call.elicit('and?', name)
      const after = await call.step('after', () => effects('after'))
      return [before, between, after].join()
    })
    const caller = callerOf(server, CAPABILITIES)
    const start = await suspend(server)
    const second = await caller.result('tools/call', retryOf(start))
    const last = retryOf(second, { 'elicit-2': accept({ name: 'Bob' }) })
    expect((await caller.result('tools/call', last)).content).toEqual([{ type: 'text', text: 'before,between,after' }])
    for (const retry of [retryOf(start), last]) expect(await caller.error('tools/call', retry)).toMatchObject(used)
    expect(effects.mock.calls.flat()).toEqual(['before', 'between', 'after'])
  })

  it('as often as the caller likes if the call has no steps, without an operation on the store', async () => {
    const { store, ...rest } = memoryStores()
    const compareAndSet = vi.fn(store.compareAndSet)
    const handler = async (_args: unknown, call: Parameters<Parameters<Server['tool']>[2]>[1]): Promise<string> =>
      (await call.elicit('who?', name)).name
    const options = { stores: { ...rest, store: { ...store, compareAndSet } }, sealingKeys: [generateKey()] }
    const server = serverWith(handler as never, options)
    const caller = callerOf(server, CAPABILITIES)
    const retry = retryOf(await suspend(server))
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await caller.result('tools/call', retry)).content).toEqual([{ type: 'text', text: 'Ada' }])
    expect(compareAndSet).not.toHaveBeenCalled()
  })

  it('without steps too if the server says so', async () => {
    const handler = async (_args: unknown, call: Parameters<Parameters<Server['tool']>[2]>[1]): Promise<string> =>
      `${(await call.elicit('who?', name)).name} ${(await call.elicit('and?', name)).name}`
    const server = serverWith(handler as never, { singleUseRequestState: 'always' })
    const caller = callerOf(server, CAPABILITIES)
    const start = await suspend(server)
    const second = await caller.result('tools/call', retryOf(start))
    const last = retryOf(second, { 'elicit-2': accept({ name: 'Bob' }) })
    expect((await caller.result('tools/call', last)).content).toEqual([{ type: 'text', text: 'Ada Bob' }])
    for (const retry of [retryOf(start), last]) expect(await caller.error('tools/call', retry)).toMatchObject(used)
  })

  it('and not by a request that fails before its step', async () => {
    const { server, caller, charge } = chargeServer()
    const retry = retryOf(await suspend(server))
    const declined = await caller.result('tools/call', retryOf(retry, { 'elicit-1': { action: 'decline' } }))
    expect(declined.isError).toBe(true)
    expect((await caller.result('tools/call', retry)).content).toEqual([{ type: 'text', text: 'Ada 42' }])
    expect(charge).toHaveBeenCalledTimes(1)
  })

  it('and its step does not run while the store is unavailable', async () => {
    const { store, ...rest } = memoryStores()
    const broken = { ...store, compareAndSet: vi.fn(async () => Promise.reject(new Error('down'))) }
    const { server, caller, charge } = chargeServer({
      stores: { ...rest, store: broken },
      sealingKeys: [generateKey()],
      onEvent() {},
    })
    const retry = retryOf(await suspend(server))
    expect((await caller.result('tools/call', retry)).isError).toBe(true)
    expect(charge).not.toHaveBeenCalled()
  })
})
