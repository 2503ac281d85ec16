import { describe, expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import type { Client } from '../client/surface.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/surface.ts'
import { createMemoryStore } from '../stores/memory-store.ts'
import { readConfig } from './config.ts'
import { type ClientGroup, createGroup, type GroupEvent, type GroupOptions, type OpenEntry } from './group.ts'

/** Opens servers in memory by their command. */
function opener(servers: Record<string, Server | Error>): OpenEntry & { opened: string[]; closed: string[] } {
  const opened: string[] = []
  const closed: string[] = []
  const open: OpenEntry = async ({ target }, options) => {
    const name = 'command' in target ? target.command : target.href
    opened.push(name)
    await new Promise((resolve) => setTimeout(resolve, 1))
    const server = servers[name]
    if (!server || server instanceof Error) throw server ?? new Error('ENOENT')
    let status: 'open' | 'closed' = 'open'
    const close = async (): Promise<void> => {
      status = 'closed'
      closed.push(name)
    }
    return createClient(() => ({ exchange: server.exchange, mirrors: false, close, status }), options).client
  }
  return Object.assign(open, { opened, closed })
}

function notes(name: string): Server {
  const server = createServer({ name, version: '1' }, { cache: { tools: { ttlMs: 60_000, cacheScope: 'private' } } })
  server.tool('who', {}, () => name)
  server.tool('say hello', {}, () => `hello from ${name}`)
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
  open: ReturnType<typeof opener>
}

async function setUp(servers: Record<string, Server | Error>, options: GroupOptions = {}, more: object = {}): Promise<Setup> {
  const entries = Object.fromEntries(Object.keys(servers).map((name) => [name, { command: name }]))
  const config = await readConfig({ mcpServers: { ...entries, ...more } }, { env: {} })
  const open = opener(servers)
  const events: GroupEvent[] = []
  return { group: createGroup(config, open, { onEvent: (event) => events.push(event), ...options }), events, open }
}

const states = ({ status }: ClientGroup): object =>
  Object.fromEntries(Object.entries(status).map(([name, { state }]) => [name, state]))

describe('starting', () => {
  test('only what is used, once', async () => {
    const { group, open } = await setUp({ a: notes('a'), b: notes('b') })
    expect(states(group)).toEqual({ a: 'idle', b: 'idle' })
    const starting = Promise.all([group.callTool('a__who'), group.callTool('a__who'), group.client('a')])
    expect(states(group)).toEqual({ a: 'starting', b: 'idle' })
    await starting
    expect(states(group)).toEqual({ a: 'open', b: 'idle' })
    expect(open.opened).toEqual(['a'])
  })

  test('a failure is its own, and the next use tries again', async () => {
    const { group, events, open } = await setUp({ a: new Error('no such program'), b: plain })
    expect((await group.tools().toArray()).map(({ name }) => name)).toEqual(['b__ping'])
    expect(group.status).toEqual({ a: { state: 'failed', error: new Error('no such program') }, b: { state: 'open' } })
    expect(events).toEqual([{ type: 'failed', server: 'a', error: new Error('no such program') }])
    await expect(group.callTool('a__x')).rejects.toThrow('no such program')
    expect(open.opened).toEqual(['a', 'b', 'a'])
  })

  test('entries that cannot be used, or are switched off', async () => {
    const more = { bad: { args: [] }, off: { command: 'x', disabled: true } }
    const { group, events } = await setUp({ b: plain }, {}, more)
    expect(states(group)).toEqual({ b: 'idle', bad: 'failed', off: 'disabled' })
    expect(await group.tools().toArray()).toHaveLength(1)
    expect(events).toMatchObject([
      { type: 'warning', message: 'The server off is disabled' },
      { type: 'failed', server: 'bad', error: { message: 'The server bad cannot be used: needs a command or a url' } },
    ])
    await expect(group.client('bad')).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await expect(group.client('off')).rejects.toThrow('The server off is disabled')
    await expect(group.client('none')).rejects.toThrow('The configuration has no server none')
  })

  test('a server that has ended is started again', async () => {
    const { group, open } = await setUp({ a: notes('a') })
    await (await group.client('a')).close()
    expect(states(group)).toEqual({ a: 'closed' })
    await group.callTool('a__who')
    expect(open.opened).toEqual(['a', 'a'])
  })
})

describe('closing', () => {
  test('closes all, also those that are starting, and nothing starts again', async () => {
    const { group, open } = await setUp({ a: notes('a'), b: notes('b'), c: notes('c') })
    await group.client('a')
    const starting = group.client('b')
    starting.catch(() => {})
    await group.close()
    expect(open.closed.sort()).toEqual(['a', 'b'])
    await expect(starting).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    await expect(group.client('c')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(states(group)).toEqual({ a: 'closed', b: 'closed', c: 'closed' })
    await group.close()
  })
})

describe('the merged view', () => {
  test('tools: names of servers and tools, in order, with what they are called there', async () => {
    const { group } = await setUp({ b: notes('b'), a: plain })
    const tools = await group.tools().toArray()
    expect(tools.map(({ name, server, originalName }) => [name, server, originalName])).toEqual([
      ['b__who', 'b', 'who'],
      [expect.stringMatching(/^b__say_hello_[0-9a-f]{16}$/), 'b', 'say hello'],
      ['a__ping', 'a', 'ping'],
    ])
    const found: string[] = []
    for await (const { name } of group.tools()) found.push(name)
    expect(found).toEqual(tools.map(({ name }) => name))
  })

  test('calls go to their server; a name with a hash is looked up', async () => {
    const { group } = await setUp({ a: notes('a'), b: notes('b') })
    expect((await group.callTool('b__who')).content).toEqual([{ type: 'text', text: 'b' }])
    const hashed = (await group.tools().toArray()).find(({ name }) => name.startsWith('a__say_hello_'))?.name ?? ''
    expect((await group.callTool(hashed)).content).toEqual([{ type: 'text', text: 'hello from a' }])
    const { group: fresh } = await setUp({ a: notes('a'), b: notes('b') })
    expect((await fresh.callTool(hashed)).content).toEqual([{ type: 'text', text: 'hello from a' }])
  })

  test('names of nobody', async () => {
    const { group, open } = await setUp({ a: notes('a') })
    await expect(group.callTool('who')).rejects.toThrow('no server has the tool who')
    await expect(group.callTool('x__who')).rejects.toThrow(RpcError)
    expect(open.opened).toEqual([])
    await expect(group.callTool('a__nothing')).rejects.toThrow(RpcError)
    await expect(group.getPrompt(`a__x_${'0'.repeat(16)}`)).rejects.toThrow('no server has the prompt a__x_')
  })

  test('prompts', async () => {
    const { group } = await setUp({ a: notes('a'), b: plain, c: notes('c') })
    expect((await group.prompts().toArray()).map(({ name }) => name)).toEqual(['a__greet', 'c__greet'])
    expect((await group.getPrompt('c__greet')).messages).toMatchObject([{ content: { text: 'greet c' } }])
    expect(states(group)).toEqual({ a: 'open', b: 'open', c: 'open' })
  })

  test('resources keep their URIs and are read where they are', async () => {
    const { group } = await setUp({ b: plain, a: notes('a') })
    expect(await group.resources().toArray()).toMatchObject([{ uri: 'a://readme', server: 'a' }])
    expect(await group.templates().toArray()).toMatchObject([{ uriTemplate: 'a://notes/{id}', server: 'a' }])
    const { group: fresh } = await setUp({ b: plain, a: notes('a') })
    expect((await fresh.read('a://notes/7')).contents).toMatchObject([{ text: 'note 7 of a' }])
    expect((await fresh.read('a://readme', { server: 'a' })).contents).toMatchObject([{ text: 'readme of a' }])
    await expect(fresh.read('z://nothing')).rejects.toThrow('Resource not found')
  })
})

describe('options', () => {
  test('for all and for one, events with the name of the server', async () => {
    const asking = createServer({ name: 'asking', version: '1' })
    asking.tool('ask', {}, async (_args, call) =>
      JSON.stringify(await call.elicit('Who?', { type: 'object', properties: { who: { type: 'string' } } })),
    )
    const { group } = await setUp(
      { a: asking, b: asking },
      { elicit: () => 'decline', optionsOf: (who) => (who === 'b' ? { elicit: () => ({ who }) } : {}) },
    )
    const text = async (name: string): Promise<unknown> => (await group.callTool(name)).content[0]
    expect(await text('a__ask')).toMatchObject({ text: expect.stringContaining('declined') })
    expect(await text('b__ask')).toEqual({ type: 'text', text: '{"who":"b"}' })
  })

  test('a shared cache store keeps servers apart', async () => {
    const { group } = await setUp({ a: notes('a'), b: plain, c: notes('c') }, { cache: { store: createMemoryStore() } })
    const clients: Client[] = await Promise.all(group.servers.map((name) => group.client(name)))
    for (const client of clients) await client.tools().toArray()
    expect((await group.tools().toArray()).map(({ server, originalName }) => `${server} ${originalName}`)).toEqual([
      'a who',
      'a say hello',
      'b ping',
      'c who',
      'c say hello',
    ])
  })
})
