import { describe, expect, test } from 'vitest'
import { createClient } from '../../client/client.ts'
import type { Client } from '../../client/types.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { readConfig } from '../config/config.ts'
import { type ClientGroup, createGroup, type GroupEvent, type GroupOptions, type OpenServer } from './group.ts'

/** Creates a function that connects to in-process servers by their command. */
function createOpen(servers: Record<string, Server | Error>): OpenServer & { opened: string[]; closed: string[] } {
  const opened: string[] = []
  const closed: string[] = []
  const open: OpenServer = async ({ target }, options) => {
    const name = 'command' in target ? target.command : target.href
    opened.push(name)
    await new Promise((resolve) => setTimeout(resolve, 1))
    const server = servers[name]
    if (!server || server instanceof Error) throw server ?? new Error('ENOENT')
    let status: 'connected' | 'closed' = 'connected'
    const close = async (): Promise<void> => {
      status = 'closed'
      closed.push(name)
    }
    return createClient(
      () => ({ exchange: server.exchange, sendsParamHeaders: false, protocolVersion: '', close, status }),
      options,
    ).client
  }
  return Object.assign(open, { opened, closed })
}

function createNotesServer(name: string): Server {
  const server = createServer({ name, version: '1' }, { cache: { tools: { ttlMs: 60_000, cacheScope: 'private' } } })
  server.tool('who', {}, () => name)
  server.tool('say/hello', {}, () => `hello from ${name}`)
  server.prompt('greet', {}, () => `greet ${name}`)
  server.resource(`${name}://readme`, {}, () => `readme of ${name}`)
  server.resource(`${name}://notes/{id}`, {}, ({ id }) => `note ${id} of ${name}`)
  return server
}

const plain = createServer({ name: 'plain', version: '1' })
plain.tool('ping', {}, () => 'pong')

interface Setup {
  group: ClientGroup
  events: GroupEvent[]
  open: ReturnType<typeof createOpen>
}

async function setUp(
  servers: Record<string, Server | Error>,
  options: GroupOptions = {},
  moreEntries: object = {},
): Promise<Setup> {
  const entries = Object.fromEntries(Object.keys(servers).map((name) => [name, { command: name }]))
  const config = await readConfig({ mcpServers: { ...entries, ...moreEntries } }, { env: {} })
  const open = createOpen(servers)
  const events: GroupEvent[] = []
  return { group: createGroup(config, open, { onEvent: (event) => events.push(event), ...options }), events, open }
}

const states = ({ status }: ClientGroup): object =>
  Object.fromEntries(Object.entries(status).map(([name, { state }]) => [name, state]))

describe('starting', () => {
  test('a server is started once, by its first use', async () => {
    const { group, open } = await setUp({ a: createNotesServer('a'), b: createNotesServer('b') })
    expect(states(group)).toEqual({ a: 'idle', b: 'idle' })
    const starting = Promise.all([group.callTool('a__who'), group.callTool('a__who'), group.client('a')])
    expect(states(group)).toEqual({ a: 'starting', b: 'idle' })
    await starting
    expect(states(group)).toEqual({ a: 'connected', b: 'idle' })
    expect(open.opened).toEqual(['a'])
  })

  test('a failure affects one server, and the next use tries again', async () => {
    const { group, events, open } = await setUp({ a: new Error('no such program'), b: plain })
    expect((await group.tools().toArray()).map(({ name }) => name)).toEqual(['b__ping'])
    expect(group.status).toEqual({ a: { state: 'failed', error: new Error('no such program') }, b: { state: 'connected' } })
    expect(events).toEqual([{ type: 'failed', server: 'a', error: new Error('no such program') }])
    await expect(group.callTool('a__x')).rejects.toThrow('no such program')
    expect(open.opened).toEqual(['a', 'b', 'a'])
  })

  test('invalid and disabled entries', async () => {
    const moreEntries = { bad: { args: [] }, off: { command: 'x', disabled: true } }
    const { group, events } = await setUp({ b: plain }, {}, moreEntries)
    expect(states(group)).toEqual({ b: 'idle', bad: 'failed', off: 'disabled' })
    expect(await group.tools().toArray()).toHaveLength(1)
    expect(events).toMatchObject([
      { type: 'warning', message: 'The server off is disabled' },
      {
        type: 'failed',
        server: 'bad',
        error: { message: 'The server bad has an invalid configuration: it needs a command or a url' },
      },
    ])
    await expect(group.client('bad')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await expect(group.client('off')).rejects.toThrow('The server off is disabled')
    await expect(group.client('none')).rejects.toThrow('The configuration has no server none')
  })

  test('a server that has ended is restarted', async () => {
    const { group, open } = await setUp({ a: createNotesServer('a') })
    await (await group.client('a')).close()
    expect(states(group)).toEqual({ a: 'closed' })
    await group.callTool('a__who')
    expect(open.opened).toEqual(['a', 'a'])
  })
})

describe('closing', () => {
  test('closes all servers, including those that are starting, for good', async () => {
    const { group, open } = await setUp({ a: createNotesServer('a'), b: createNotesServer('b'), c: createNotesServer('c') })
    await group.client('a')
    const starting = group.client('b')
    starting.catch(() => {})
    await group.close()
    expect(open.closed.sort()).toEqual(['a', 'b'])
    await expect(starting).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    await expect(group.client('c')).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    expect(states(group)).toEqual({ a: 'closed', b: 'closed', c: 'closed' })
    await group.close()
  })
})

describe('the combined lists', () => {
  test('tools have qualified names, in the order of the configuration', async () => {
    const { group } = await setUp({ b: createNotesServer('b'), a: plain })
    const tools = await group.tools().toArray()
    expect(tools.map(({ name, server, originalName }) => [name, server, originalName])).toEqual([
      ['b__who', 'b', 'who'],
      [expect.stringMatching(/^b__say_hello_[0-9a-f]{16}$/), 'b', 'say/hello'],
      ['a__ping', 'a', 'ping'],
    ])
    const iterated: string[] = []
    for await (const { name } of group.tools()) iterated.push(name)
    expect(iterated).toEqual(tools.map(({ name }) => name))
  })

  test('calls are routed to their server; a name with a hash is resolved by listing', async () => {
    const { group } = await setUp({ a: createNotesServer('a'), b: createNotesServer('b') })
    expect((await group.callTool('b__who')).content).toEqual([{ type: 'text', text: 'b' }])
    const hashed = (await group.tools().toArray()).find(({ name }) => name.startsWith('a__say_hello_'))?.name ?? ''
    expect((await group.callTool(hashed)).content).toEqual([{ type: 'text', text: 'hello from a' }])
    const { group: fresh } = await setUp({ a: createNotesServer('a'), b: createNotesServer('b') })
    expect((await fresh.callTool(hashed)).content).toEqual([{ type: 'text', text: 'hello from a' }])
  })

  test('unknown names', async () => {
    const { group, open } = await setUp({ a: createNotesServer('a') })
    await expect(group.callTool('who')).rejects.toThrow('no server has the tool who')
    await expect(group.callTool('x__who')).rejects.toThrow(RpcError)
    expect(open.opened).toEqual([])
    await expect(group.callTool('a__nothing')).rejects.toThrow(RpcError)
    await expect(group.getPrompt(`a__x_${'0'.repeat(16)}`)).rejects.toThrow('no server has the prompt a__x_')
  })

  test('prompts', async () => {
    const { group } = await setUp({ a: createNotesServer('a'), b: plain, c: createNotesServer('c') })
    expect((await group.prompts().toArray()).map(({ name }) => name)).toEqual(['a__greet', 'c__greet'])
    expect((await group.getPrompt('c__greet')).messages).toMatchObject([{ content: { text: 'greet c' } }])
    expect(states(group)).toEqual({ a: 'connected', b: 'connected', c: 'connected' })
  })

  test('resources have their original URIs and are read from their server', async () => {
    const { group } = await setUp({ b: plain, a: createNotesServer('a') })
    expect(await group.resources().toArray()).toMatchObject([{ uri: 'a://readme', server: 'a' }])
    expect(await group.resourceTemplates().toArray()).toMatchObject([{ uriTemplate: 'a://notes/{id}', server: 'a' }])
    const { group: fresh } = await setUp({ b: plain, a: createNotesServer('a') })
    expect((await fresh.readResource('a://notes/7')).contents).toMatchObject([{ text: 'note 7 of a' }])
    expect((await fresh.readResource('a://readme', { server: 'a' })).contents).toMatchObject([{ text: 'readme of a' }])
    await expect(fresh.readResource('z://nothing')).rejects.toThrow('Resource not found')
  })
})

describe('options', () => {
  test('can be set for all servers and for one', async () => {
    const asking = createServer({ name: 'asking', version: '1' })
    asking.tool('ask', {}, async (_args, call) =>
      JSON.stringify(await call.elicit('Who?', { type: 'object', properties: { who: { type: 'string' } } })),
    )
    const { group } = await setUp(
      { a: asking, b: asking },
      { elicit: () => 'decline', optionsOf: (server) => (server === 'b' ? { elicit: () => ({ who: server }) } : {}) },
    )
    const text = async (name: string): Promise<unknown> => (await group.callTool(name)).content[0]
    expect(await text('a__ask')).toMatchObject({ text: expect.stringContaining('declined') })
    expect(await text('b__ask')).toEqual({ type: 'text', text: '{"who":"b"}' })
  })

  test('servers have separate partitions of a shared cache store', async () => {
    const { group } = await setUp(
      { a: createNotesServer('a'), b: plain, c: createNotesServer('c') },
      { cache: { store: createMemoryStore() } },
    )
    const clients: Client[] = await Promise.all(group.servers.map((name) => group.client(name)))
    for (const client of clients) await client.tools().toArray()
    expect((await group.tools().toArray()).map(({ server, originalName }) => `${server} ${originalName}`)).toEqual([
      'a who',
      'a say/hello',
      'b ping',
      'c who',
      'c say/hello',
    ])
  })
})
