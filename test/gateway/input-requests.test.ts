import { fileURLToPath } from 'node:url'
import { createServer, type Exchange } from 'portcall'
import { type Client, type ConnectTarget, connect } from 'portcall/client'
import { bridge, createGateway, type Gateway } from 'portcall/gateway'
import type { JsonObject, Response } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'
import { createGreeter } from './support/create-greeter.ts'

async function serveOnce(server: Parameters<typeof serve>[0]): Promise<string> {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(close)
  return url
}

const startGreeter = (...args: Parameters<typeof createGreeter>): Promise<string> => serveOnce(createGreeter(...args))

const PROGRAM = fileURLToPath(new URL('./support/greeter.ts', import.meta.url))
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28']
const CAPABILITIES = [{}, { sampling: {} }, { roots: {} }, { sampling: {}, roots: {} }]

/** Connects a client that answers with its own number, and checks that it is asked about its own call only. */
async function connectCaller(gateway: ConnectTarget, id: number, protocolVersion = '2026-07-28'): Promise<Client> {
  const client = await connect(gateway, {
    protocolVersion,
    capabilities: CAPABILITIES[id % 4] ?? {},
    elicit: ({ message }) => {
      expect(message).toContain(`name of ${id}?`)
      return { action: 'accept', content: { name: `${message.split(' ')[0]}-${id}` } }
    },
  })
  onTestFinished(() => client.close())
  return client
}

function resultOf(id: number): JsonObject {
  return { content: [{ type: 'text', text: `${id}: First-${id} Last-${id}` }] }
}

test.each(REVISIONS)(
  '200 concurrent callers are asked by a server over HTTP, %s, and each answers its own call',
  async (protocolVersion) => {
    const declared = new Map<number | undefined, Set<string>>()
    const target = await startGreeter((id, { capabilities: { extensions: _extensions, ...capabilities } }) => {
      declared.set(id, (declared.get(id) ?? new Set()).add(Object.keys(capabilities).sort().join(' ')))
    })
    const gateway = createGateway({ servers: { greeter: { target, protocolVersion } } })
    onTestFinished(() => gateway.close())
    const url = await serveOnce(gateway)
    const calls = Array.from({ length: 200 }, async (_, id) => {
      const caller = await (id % 40 < 36 ? connectCaller(gateway, id) : connectCaller(url, id, '2025-11-25'))
      return caller.callTool('greeter__greet', { id })
    })
    expect(await Promise.all(calls)).toMatchObject(Array.from({ length: 200 }, (_, id) => resultOf(id)))
    const expected = CAPABILITIES.map((capabilities) => new Set([['elicitation', ...Object.keys(capabilities)].sort().join(' ')]))
    expect(declared).toEqual(new Map(Array.from(declared.keys(), (id) => [id, expected[Number(id) % 4]])))
    expect(declared.size).toBe(200)
    if (protocolVersion !== '2026-07-28') expect(gateway.status().servers.greeter?.connections).toBe(4)
  },
)

test.each(REVISIONS)('callers are asked by a server over stdio, %s, which does not say whom it asks', async (protocolVersion) => {
  const target = { command: process.execPath, args: [await compileProgram(PROGRAM)] }
  const gateway = createGateway({ servers: { greeter: { target, protocolVersion } } })
  onTestFinished(() => gateway.close())
  const calls = Array.from({ length: 40 }, async (_, id) => (await connectCaller(gateway, id)).callTool('greeter__greet', { id }))
  expect(await Promise.all(calls)).toMatchObject(Array.from({ length: 40 }, (_, id) => resultOf(id)))
})

/** Returns an Exchange that sends each request to the next gateway. */
function roundRobin(...gateways: Gateway[]): Exchange {
  let turn = 0
  return (request, context) => (gateways[turn++ % gateways.length] as Gateway).exchange(request, context)
}

test.each(REVISIONS)(
  '200 callers at once, with shared stores: each answer may arrive at another process, %s',
  async (protocolVersion) => {
    const url = await startGreeter()
    const stores = memoryStores()
    const gateways = [1, 2, 3].map(() => createGateway({ servers: { greeter: { target: url, protocolVersion } }, stores }))
    onTestFinished(async () => void (await Promise.all(gateways.map((gateway) => gateway.close()))))
    const exchange = roundRobin(...gateways)
    const calls = Array.from({ length: 200 }, async (_, id) =>
      (await connectCaller(exchange, id)).callTool('greeter__greet', { id }),
    )
    expect(await Promise.all(calls)).toMatchObject(Array.from({ length: 200 }, (_, id) => resultOf(id)))
  },
)

test('an answer for a process that has ended says to call again', async () => {
  const url = await startGreeter()
  const stores = memoryStores()
  const [first, second] = [1, 2].map(() =>
    createGateway({ servers: { greeter: { target: url, protocolVersion: '2025-11-25' } }, stores }),
  )
  onTestFinished(() => second?.close())
  let requests = 0
  const client = await connect(
    async (request, context) => {
      if (request.method !== 'tools/call' || ++requests === 1) return first!.exchange(request, context)
      await first!.close()
      return second!.exchange(request, context)
    },
    { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) },
  )
  onTestFinished(() => client.close())
  await expect(client.callTool('greeter__greet', { id: 1 })).rejects.toThrow(
    'the process in which the call waited for input has ended. Call again without requestState',
  )
  expect(requests).toBe(2)
})

test('a form, a link and a model in one result: all are asked, and the call is repeated once, as without a gateway', async () => {
  const rounds: string[][] = []
  const server = createServer({ name: 'mixed', version: '1' })
  server.use((request, context, next) => {
    const { inputResponses = {} } = request.params ?? {}
    if (request.method === 'tools/call') rounds.push(Object.keys(inputResponses as object))
    return next(request, context)
  })
  server.tool('mix', {}, async (_input, call) => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
    const answers = await Promise.all([
      call.elicit('Name?', schema),
      call.elicitUrl('Sign in', 'https://example.com/login'),
      call.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 }),
    ])
    return JSON.stringify(answers)
  })
  const target = await serveOnce(server)
  const gateway = bridge(target, { protocolVersion: '2026-07-28' })
  onTestFinished(() => gateway.close())
  const url = await serveOnce(gateway)
  const call = async (to: string, protocolVersion: string): Promise<unknown> => {
    const asked: string[] = []
    rounds.length = 0
    const client = await connect(to, {
      protocolVersion,
      elicit: ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { name: 'Ada' } }
      },
      elicitUrl: ({ url: link }) => {
        asked.push(link)
        return 'accept'
      },
      sample: ({ messages }) => {
        asked.push(...messages.map(({ content }) => (content as { text: string }).text))
        return { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm', stopReason: 'endTurn' }
      },
    })
    onTestFinished(() => client.close())
    const { content } = await client.callTool('mix')
    return { content, asked: asked.sort(), rounds: rounds.map(({ length }) => length) }
  }
  const direct = await call(target, '2026-07-28')
  expect(direct).toMatchObject({ rounds: [0, 3], asked: ['Hi', 'Name?', 'https://example.com/login'] })
  for (const protocolVersion of ['2025-11-25', '2026-07-28']) expect(await call(url, protocolVersion)).toEqual(direct)
})

const LEAVING: { readonly [how: string]: (client: Client, call: AbortController) => unknown } = {
  'cancels it': (_client, call) => call.abort(new Error('enough')),
  'ends its session': (client) => client.close(),
}

test.each(Object.entries(LEAVING))('a call that waits for input ends at the server if its caller %s', async (_how, leave) => {
  let aborted = 0
  const server = createServer({ name: 'patient', version: '1' }).tool('asks', {}, async (_input, call) => {
    call.signal.addEventListener('abort', () => aborted++)
    return JSON.stringify(await call.elicit('Who are you?', { type: 'object', properties: {} }))
  })
  // One call more than the session may have fits only if the others have ended.
  const options = { port: 0, handleProcessSignals: false, drainTimeoutMs: 0, maxSessionRequests: 2 }
  const behind = await serve(server, options)
  const gateway = bridge(behind.url, { protocolVersion: '2025-11-25' })
  const front = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(async () => {
    await front.close()
    await gateway.close()
    await behind.close()
  })
  for (let left = 1; left <= 3; left++) {
    const controller = new AbortController()
    let isAsked = false
    const elicit = (): Promise<never> => {
      isAsked = true
      return new Promise(() => {})
    }
    const client = await connect(front.url, { protocolVersion: '2025-11-25', elicit })
    const ended = expect(client.callTool('asks', {}, { signal: controller.signal })).rejects.toThrow()
    await eventually(() => expect(isAsked).toBe(true))
    await leave(client, controller)
    await ended
    await eventually(() => expect(aborted).toBe(left))
    await client.close()
  }
})

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

async function send(gateway: Gateway, params: JsonObject, principal?: string): Promise<Response> {
  const signal = new AbortController().signal
  const auth = principal === undefined ? {} : { auth: { principal } }
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: META } } as const
  return gateway.exchange(request, { signal, notify: () => {}, ...auth })
}

async function suspend(gateway: Gateway, principal?: string): Promise<{ params: JsonObject; answer: JsonObject }> {
  const params = { name: 'greet', arguments: { id: 7 } }
  const asked = await send(gateway, params, principal)
  if (!('result' in asked) || asked.result.resultType !== 'input_required') throw new Error(JSON.stringify(asked))
  const [key = ''] = Object.keys(asked.result.inputRequests as object)
  const inputResponses = { [key]: { action: 'accept', content: { name: 'Ada' } } }
  return { params, answer: { inputResponses, requestState: asked.result.requestState } }
}

test.each(['2025-11-25', '2026-07-28'])(
  'a request state is refused for another caller, other arguments, and after a change, %s',
  async (protocolVersion) => {
    const gateway = bridge(await startGreeter(), { protocolVersion, sharing: 'shared' })
    onTestFinished(() => gateway.close())
    const { params, answer } = await suspend(gateway, 'ada')
    const refused = { error: { code: -32602, message: expect.stringContaining('requestState') as string } }
    expect(await send(gateway, { ...params, ...answer }, 'eve')).toMatchObject(refused)
    expect(await send(gateway, { ...params, ...answer })).toMatchObject(refused)
    expect(await send(gateway, { ...params, arguments: { id: 8 }, ...answer }, 'ada')).toMatchObject(refused)
    const changed = `${String(answer.requestState).slice(0, -2)}xx`
    expect(await send(gateway, { ...params, ...answer, requestState: changed }, 'ada')).toMatchObject(refused)
    expect(await send(gateway, { ...params, ...answer }, 'ada')).toMatchObject({ result: { resultType: 'input_required' } })
    if (protocolVersion === '2025-11-25')
      expect(await send(gateway, { ...params, ...answer }, 'ada')).toMatchObject({ error: { code: -32602 } })
  },
)

test('when the process in which a call waits has ended, the answer is refused with the reason', async () => {
  const target = await startGreeter()
  const stores = memoryStores()
  const [one, two] = [1, 2].map(() => bridge(target, { protocolVersion: '2025-11-25', stores })) as [Gateway, Gateway]
  onTestFinished(() => two.close())
  const { params, answer } = await suspend(one)
  await one.close()
  expect(await send(two, { ...params, ...answer })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('has ended. Call again') as string },
  })
})

test('a question that nobody answers expires: the call ends at the server, and its request state is refused', async () => {
  let aborted = 0
  const server = createServer({ name: 'patient', version: '1' }).tool(
    'greet',
    { input: { type: 'object' } },
    async (_input, call) => {
      call.signal.addEventListener('abort', () => aborted++)
      return JSON.stringify(await call.elicit('Who are you?', { type: 'object', properties: {} }))
    },
  )
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  const gateway = bridge(url, { protocolVersion: '2025-11-25', requestStateTtlMs: 100 })
  onTestFinished(async () => {
    await gateway.close()
    await close()
  })
  const { params, answer } = await suspend(gateway, 'ada')
  await eventually(() => expect(aborted).toBe(1))
  await eventually(() => expect(gateway.status().servers.server).toMatchObject({ inFlight: 0 }))
  await eventually(async () =>
    expect(await send(gateway, { ...params, ...answer }, 'ada')).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('requestState has expired') as string },
    }),
  )
})

test.each(['2025-11-25', '2026-07-28'])(
  'log messages reach the caller that they are for, at its level, %s',
  async (protocolVersion) => {
    const server = createServer({ name: 'chatty', version: '1' }).tool(
      'work',
      { input: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] } as const },
      async ({ who }, call) => {
        for (const level of ['debug', 'info', 'error'] as const) call.log(level, `${level} for ${who}`)
        return who
      },
    )
    const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
    const gateway = bridge(url, { protocolVersion })
    onTestFinished(async () => {
      await gateway.close()
      await close()
    })
    const logged: { [who: string]: unknown[] } = {}
    const levels = { ada: 'debug', eve: 'error', bob: 'info' } as const
    const clients = await Promise.all(
      Object.entries(levels).map(async ([who, logLevel]) => {
        const messages: unknown[] = []
        logged[who] = messages
        const client = await connect(gateway, {
          logLevel,
          onEvent: (event) => void (event.type === 'log' && messages.push(event.data)),
        })
        onTestFinished(client.close)
        return { who, client }
      }),
    )
    await Promise.all(clients.flatMap(({ who, client }) => [1, 2].map(() => client.callTool('work', { who }))))
    const messagesOf = (who: string, ...names: string[]): string[] =>
      [...names, ...names].map((name) => `${name} for ${who}`).sort()
    await eventually(() => {
      for (const messages of Object.values(logged)) messages.sort()
      expect(logged).toEqual({
        ada: messagesOf('ada', 'debug', 'error', 'info'),
        eve: messagesOf('eve', 'error'),
        bob: messagesOf('bob', 'error', 'info'),
      })
    })
  },
)
