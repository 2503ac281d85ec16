/** One process for each program, whatever the clients of a gateway declare, and lists that wait for programs that start. */
import { connect } from 'portcall/client'
import { createGateway, type Gateway } from 'portcall/gateway'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

/** Serves three tools in 2025-11-25: one says which process answers, one asks the user, one lists roots. It starts after a while. */
const PROGRAM = `
let nextId = 1000, initialized, asked = new Map()
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const tool = (name) => ({ name, inputSchema: { type: 'object' } })
const ASKS = { ask: ['elicitation/create', { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }], roots: ['roots/list', {}] }
const onRequest = ({ id, method, params }) => {
  if (method === 'initialize') {
    initialized = params.capabilities
    return send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'program', version: '1' } } })
  }
  if (method === 'tools/list') return send({ id, result: { tools: [tool('pid'), tool('ask'), tool('roots')] } })
  if (method !== 'tools/call') return send({ id, result: {} })
  if (params.name === 'pid') return send({ id, result: text({ pid: process.pid, declared: initialized }) })
  asked.set(++nextId, id)
  const [asks, asksParams] = ASKS[params.name]
  send({ id: nextId, method: asks, params: asksParams })
}
const onMessage = (message) => {
  if (message.method && message.id !== undefined) return onRequest(message)
  if (message.id === undefined || !asked.has(message.id)) return
  send({ id: asked.get(message.id), result: text({ pid: process.pid, answer: message.result ?? message.error.code }) })
}
setTimeout(() => require('readline').createInterface({ input: process.stdin }).on('line', (line) => onMessage(JSON.parse(line))), Number(process.argv[1]))
process.stdin.on('end', () => process.exit())`

const program = (delayMs = 0) => ({ command: process.execPath, args: ['-e', PROGRAM, String(delayMs)] })

function open(servers: Parameters<typeof createGateway>[0]['servers'], options: object = {}): Gateway {
  const gateway = createGateway({ servers, singleUser: true, ...options })
  onTestFinished(() => gateway.close())
  return gateway
}

type Options = NonNullable<Parameters<typeof connect>[1]>
const asks: Options = { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) }
const samples: Options = {
  sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } }),
}
const hasRoots: Options = { roots: [{ uri: 'file:///work' }] }
/** Clients like five hosts. */
const CLIENTS: readonly Options[] = [{}, asks, samples, hasRoots, { ...asks, ...hasRoots }]

async function clientOf(gateway: Gateway, options: Options) {
  const client = await connect(gateway, options)
  onTestFinished(client.close)
  const call = async (name: string): Promise<any> => {
    const { content } = await client.callTool(name)
    const [block] = content as { text: string }[]
    return JSON.parse(block?.text ?? 'null')
  }
  return { client, call }
}

describe('a program of a legacy revision', () => {
  test('serves clients with different capabilities in one process, as long as it asks for nothing', async () => {
    const gateway = open({ a: program(), b: program() })
    const clients = await Promise.all(CLIENTS.map((options) => clientOf(gateway, options)))
    const pids = new Set<number>()
    for (const { call } of clients) for (const server of ['a', 'b']) pids.add((await call(`${server}__pid`)).pid)
    expect(pids.size).toBe(2)
    expect(gateway.status().servers).toMatchObject({ a: { connections: 1 }, b: { connections: 1 } })
  })

  test('gets a second process for clients that do not have what it asks for, and asks the others', async () => {
    const gateway = open({ a: program() })
    const clients = await Promise.all(CLIENTS.map((options) => clientOf(gateway, options)))
    const [plain, asking] = clients as [(typeof clients)[0], (typeof clients)[0]]
    expect((await plain.call('a__ask')).answer).toBe(-32601)
    expect((await asking.call('a__ask')).answer).toEqual({ action: 'accept', content: { name: 'Ada' } })
    const first = await asking.call('a__pid')
    const second = await plain.call('a__pid')
    expect(first.pid).not.toBe(second.pid)
    expect(first.declared).toMatchObject({ elicitation: {} })
    expect(second.declared).not.toHaveProperty('elicitation')
    const pids = await Promise.all(clients.map(async ({ call }) => (await call('a__pid')).pid))
    expect(new Set(pids).size).toBe(2)
    expect(pids).toEqual([second.pid, first.pid, second.pid, second.pid, first.pid])
  })

  test('gets at most one process for each combination of what it asks for', async () => {
    const gateway = open({ a: program() })
    const clients = await Promise.all(CLIENTS.map((options) => clientOf(gateway, options)))
    for (const { call } of clients) {
      await call('a__ask')
      await call('a__roots')
    }
    const pids = await Promise.all(clients.map(async ({ call }) => (await call('a__pid')).pid))
    expect(new Set(pids).size).toBe(4)
    const [, , , rooted, both] = clients as Record<number, (typeof clients)[0]> & typeof clients
    expect((await rooted!.call('a__roots')).answer).toEqual({ roots: [{ uri: 'file:///work' }] })
    expect((await both!.call('a__ask')).answer).toMatchObject({ action: 'accept' })
  })

  test('declares what each caller does if a gateway has several users', async () => {
    const gateway = open({ a: program() }, { singleUser: false })
    const [plain, asking] = await Promise.all([clientOf(gateway, {}), clientOf(gateway, asks)])
    expect((await plain.call('a__pid')).declared).not.toHaveProperty('elicitation')
    expect((await asking.call('a__pid')).declared).toMatchObject({ elicitation: {} })
  })
})

describe('a program that each user has for itself', () => {
  const openForUsers = (): Gateway =>
    open(
      { a: { target: program(), sharing: 'principal' } },
      {
        singleUser: false,
        middleware: [
          (request, context, next) => {
            const meta = request.params?._meta as { readonly 'io.modelcontextprotocol/clientInfo': { readonly name: string } }
            const { name } = meta['io.modelcontextprotocol/clientInfo']
            return next(request, name === 'nobody' ? context : { ...context, auth: { principal: name } })
          },
        ] satisfies Parameters<typeof createGateway>[0]['middleware'],
      },
    )
  const clientsOf = (gateway: Gateway, name: string) =>
    Promise.all(CLIENTS.map((options) => clientOf(gateway, { ...options, info: { name, version: '1' } })))

  test('serves all clients of a user in one process, and no other user', async () => {
    const gateway = openForUsers()
    const [ada, bob] = [await clientsOf(gateway, 'ada'), await clientsOf(gateway, 'bob')]
    const pids = async (clients: typeof ada) =>
      new Set(await Promise.all(clients.map(async ({ call }) => (await call('a__pid')).pid)))
    const [ofAda, ofBob] = [await pids(ada), await pids(bob)]
    expect([ofAda.size, ofBob.size]).toEqual([1, 1])
    expect(ofAda).not.toEqual(ofBob)
    expect(gateway.status().servers.a?.connections).toBe(2)
  })

  test('asks only clients of its user, and starts a second process only for the user that it asked', async () => {
    const gateway = openForUsers()
    const [ada, bob] = [await clientsOf(gateway, 'ada'), await clientsOf(gateway, 'bob')]
    expect((await ada[1]!.call('a__ask')).answer).toEqual({ action: 'accept', content: { name: 'Ada' } })
    for (const { call } of [...ada, ...bob]) await call('a__pid')
    expect(gateway.status().servers.a?.connections).toBe(3)
  })

  test('callers without a name share processes that declare what they do', async () => {
    const gateway = openForUsers()
    const nobody = await clientsOf(gateway, 'nobody')
    expect((await nobody[0]!.call('a__pid')).declared).not.toHaveProperty('elicitation')
  })
})

describe('programs that start slowly', () => {
  const names = async (gateway: Gateway): Promise<string[]> => {
    const { client } = await clientOf(gateway, {})
    return (await client.tools().toArray()).map(({ name }) => name)
  }

  test('are in the first list', async () => {
    const gateway = open({ slow: program(4000), quick: program() })
    expect(await names(gateway)).toEqual(expect.arrayContaining(['slow__pid', 'quick__pid']))
  })

  test('start with the gateway, for all clients', async () => {
    const gateway = open({ a: program(), b: program(), web: 'http://127.0.0.1:9/mcp' })
    gateway.start()
    await eventually(() => expect(gateway.status().servers).toMatchObject({ a: { state: 'ready' }, b: { state: 'ready' } }))
    expect(gateway.status().servers.web?.state).toBe('idle')
    for (const options of CLIENTS) await (await clientOf(gateway, options)).call('a__pid')
    expect(gateway.status().servers.a?.connections).toBe(1)
  })

  test('are named when they take too long, as starting', async () => {
    const gateway = open({ slow: { target: program(60_000), startTimeoutMs: 300 }, quick: program() })
    const { client } = await clientOf(gateway, {})
    const { _meta } = (await client.request('tools/list', {})) as { _meta?: object }
    expect(JSON.stringify(_meta)).toContain('It is still starting. No response within 300 ms')
  })

  test('lists do not wait for a program that has failed', async () => {
    const gateway = open({ gone: { command: process.execPath, args: ['-e', 'process.exit(3)'] }, quick: program() })
    expect(await names(gateway)).toContain('quick__pid')
  })
})
