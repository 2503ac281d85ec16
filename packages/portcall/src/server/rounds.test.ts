import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { JsonObject } from '../jsonrpc/message.ts'
import { memory } from '../stores/memory.ts'
import { generateKey } from '../stores/seal.ts'
import { type Caller, callerOf } from './server.test-kit.ts'
import { createServer } from './server.ts'
import type { Server } from './surface.ts'

const CAN_ASK = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const name = z.object({ name: z.string() })
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content })

function serverWith(handler: Parameters<Server['tool']>[2], options: Parameters<typeof createServer>[1] = {}): Server {
  const server = createServer({ name: 'asking', version: '1' }, options)
  server.tool('ask', { input: { type: 'object' } }, handler as never)
  return server
}

/** Calls the tool, answering each question by its key, until the result is complete. */
async function play(
  caller: Caller,
  answers: JsonObject,
  args: JsonObject = {},
): Promise<{ result: JsonObject; rounds: string[][] }> {
  const rounds: string[][] = []
  let result = await caller.result('tools/call', { name: 'ask', arguments: args })
  while (result.resultType === 'input_required' && rounds.length < 10) {
    const keys = Object.keys(result.inputRequests as object)
    rounds.push(keys)
    const inputResponses = Object.fromEntries(keys.map((key) => [key, answers[key]]))
    result = await caller.result('tools/call', {
      name: 'ask',
      arguments: args,
      inputResponses,
      requestState: result.requestState,
    })
  }
  return { result, rounds }
}

describe('questions of a call', () => {
  it('MRTR-001 MRTR-003 MRTR-012 asks one after the other, and runs the handler again from the top', async () => {
    const runs = vi.fn()
    const server = serverWith(async (_args, call) => {
      runs()
      const first = await call.elicit('first?', name)
      const second = await call.elicit('second?', name)
      return `${first.name} ${second.name}`
    })
    const { result, rounds } = await play(callerOf(server, CAN_ASK), {
      'elicit-1': accept({ name: 'Ada' }),
      'elicit-2': accept({ name: 'Bob' }),
    })
    expect(result.content).toEqual([{ type: 'text', text: 'Ada Bob' }])
    expect(rounds).toEqual([['elicit-1'], ['elicit-2']])
    expect(runs).toHaveBeenCalledTimes(3)
  })

  it('puts all questions of one Promise.all into one round', async () => {
    const server = serverWith(async (_args, call) => {
      const [who, model, roots] = await Promise.all([
        call.elicit('who?', name, { key: 'who' }),
        call.sample({ messages: [], maxTokens: 1 }, { key: 'model' }),
        call.roots({ key: 'roots' }),
      ])
      return `${who.name} ${model.model} ${roots.length}`
    })
    const answers = {
      who: accept({ name: 'Ada' }),
      model: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      roots: { roots: [] },
    }
    const { result, rounds } = await play(callerOf(server, CAN_ASK), answers)
    expect(result.content).toEqual([{ type: 'text', text: 'Ada m 0' }])
    expect(rounds).toEqual([['who', 'model', 'roots']])
  })

  it('MRTR-017 runs a step once, and a finally at each round', async () => {
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
    const { result } = await play(callerOf(server, CAN_ASK), { 'elicit-1': accept({ name: 'Ada' }) })
    expect(result.content).toEqual([{ type: 'text', text: 'Ada 42' }])
    expect(charge).toHaveBeenCalledTimes(1)
    expect(cleanup).toHaveBeenCalledTimes(2)
  })

  it('ELI-024 asks again when an answer does not fit', async () => {
    const server = serverWith(async (_args, call) => (await call.elicit('who?', name)).name)
    const caller = callerOf(server, CAN_ASK)
    const first = await caller.result('tools/call', { name: 'ask' })
    const retry = { name: 'ask', requestState: first.requestState }
    const again = await caller.result('tools/call', { ...retry, inputResponses: { 'elicit-1': accept({ name: 7 }) } })
    expect(again.resultType).toBe('input_required')
    expect(Object.keys(again.inputRequests as object)).toEqual(['elicit-1'])
  })

  it('ELI-013 says so when the user declined', async () => {
    const server = serverWith(async (_args, call) => (await call.elicit('who?', name)).name)
    const { result } = await play(callerOf(server, CAN_ASK), { 'elicit-1': { action: 'decline' } })
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The user declined to answer' }] })
  })

  it('asks although the handler caught the interruption', async () => {
    const server = serverWith(async (_args, call) =>
      call.elicit('who?', name).then(
        () => 'asked',
        () => 'swallowed',
      ),
    )
    expect((await play(callerOf(server, CAN_ASK), { 'elicit-1': accept({ name: 'Ada' }) })).result.content).toEqual([
      { type: 'text', text: 'asked' },
    ])
  })

  it('BASE-042 MRTR-005 ELI-003 never asks what was not declared', async () => {
    const server = serverWith(async (_args, call) => (await call.elicit('who?', name)).name)
    expect(await callerOf(server).error('tools/call', { name: 'ask' })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    })
    const byUrl = serverWith(async (_args, call) => call.elicitUrl('go', 'https://example.com/'))
    expect(await callerOf(byUrl, { elicitation: {} }).error('tools/call', { name: 'ask' })).toMatchObject({ code: -32021 })
  })
})

describe('state between the rounds', () => {
  const asking = async (_args: unknown, call: Parameters<Parameters<Server['tool']>[2]>[1]): Promise<string> =>
    (await call.elicit('who?', name)).name
  const answer = { 'elicit-1': accept({ name: 'Ada' }) }
  const alice = { auth: { principal: 'alice' } }

  async function begin(server: Server): Promise<unknown> {
    return (await callerOf(server, CAN_ASK).result('tools/call', { name: 'ask', arguments: { file: 'a' } }, alice)).requestState
  }

  it('MRTR-014 MRTR-016 is refused when tampered with, for another request and for another principal', async () => {
    const server = serverWith(asking as never)
    server.tool('other', { input: { type: 'object' } }, asking as never)
    const requestState = await begin(server)
    const caller = callerOf(server, CAN_ASK)
    const retry = { name: 'ask', arguments: { file: 'a' }, requestState, inputResponses: answer }
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

  it('outlives the process when the keys are given', async () => {
    const keys = [generateKey()]
    const requestState = await begin(serverWith(asking as never, { keys }))
    const retry = { name: 'ask', arguments: { file: 'a' }, requestState, inputResponses: answer }
    const restarted = callerOf(serverWith(asking as never, { keys: [generateKey(), ...keys] }), CAN_ASK)
    expect((await restarted.result('tools/call', retry, alice)).content).toEqual([{ type: 'text', text: 'Ada' }])
    expect(await callerOf(serverWith(asking as never), CAN_ASK).error('tools/call', retry, alice)).toMatchObject({ code: -32602 })
  })

  it('expires', async () => {
    const server = serverWith(asking as never, { limits: { stateTtlMs: 1 } })
    const requestState = await begin(server)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const retry = { name: 'ask', arguments: { file: 'a' }, requestState, inputResponses: answer }
    expect(await callerOf(server, CAN_ASK).error('tools/call', retry, alice)).toMatchObject({ code: -32602 })
  })

  it('rests in the store above its limit, and only its handle travels', async () => {
    const { store } = memory()
    const server = serverWith(
      async (_args, call) => {
        const large = await call.step('large', () => 'x'.repeat(10_000))
        return `${(await call.elicit('who?', name)).name} ${large.length}`
      },
      { stores: { ...memory(), store }, limits: { maxStateBytes: 1000 } },
    )
    const { result } = await play(callerOf(server, CAN_ASK), answer)
    expect(result.content).toEqual([{ type: 'text', text: 'Ada 10000' }])
    const { requestState } = await callerOf(server, CAN_ASK).result('tools/call', { name: 'ask' })
    expect(String(requestState).length).toBeLessThan(1000)
  })

  it('ends after the allowed number of rounds', async () => {
    let turn = 0
    const server = serverWith(async (_args, call) => (await call.elicit(`who ${++turn}?`, name)).name, {
      limits: { maxRounds: 3 },
    })
    await expect(play(callerOf(server, CAN_ASK), answer)).rejects.toThrow('at most 3 rounds')
  })
})
