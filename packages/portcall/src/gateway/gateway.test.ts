import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import { connect } from '../connect/connect.ts'
import { type Channel, channelPair } from '../jsonrpc/channel.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { nodeHandler } from '../serve/node.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { serveChannel } from '../transports/stdio/server.ts'
import { bridge } from './bridge.ts'
import { createGateway, type Gateway } from './gateway.ts'

function createFiles(): Server {
  return createServer({ name: 'files', version: '1' }, { instructions: 'Reads files.' })
    .tool('read', { description: 'Reads a file' }, () => 'contents')
    .tool('ask', {}, async (_args, call) => {
      const { name } = await call.elicit('Who are you?', { type: 'object', properties: { name: { type: 'string' } } })
      return `Hello, ${name}`
    })
    .resource('file:///a.txt', { name: 'a' }, () => 'a')
    .prompt('greet', {}, () => 'Hello')
}

test('the items of two servers have qualified names, and calls reach their server', async () => {
  const search = createServer({ name: 'search', version: '1' })
    .tool('read', {}, () => 'other contents')
    .resource('file:///a.txt', { name: 'other a' }, () => 'other a')
  const gateway = createGateway({ servers: { files: createFiles(), search } })
  await using client = await connect(gateway, { elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) })
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['files__read', 'files__ask', 'search__read'])
  expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(['file:///a.txt', 'search+file:///a.txt'])
  expect((await client.prompts().toArray()).map(({ name }) => name)).toEqual(['files__greet'])
  expect(await client.callTool('search__read')).toMatchObject({ content: [{ text: 'other contents' }] })
  expect(await client.callTool('files__ask')).toMatchObject({ content: [{ text: 'Hello, Ada' }] })
  expect(await client.readResource('search+file:///a.txt')).toMatchObject({
    contents: [{ uri: 'search+file:///a.txt', text: 'other a' }],
  })
  expect(await client.readResource('file:///a.txt')).toMatchObject({ contents: [{ uri: 'file:///a.txt', text: 'a' }] })
  expect(await client.getPrompt('files__greet')).toMatchObject({ messages: [{ content: { text: 'Hello' } }] })
  await expect(client.callTool('files__nothing')).rejects.toThrow('Unknown tool')
  await expect(client.callTool('nothing')).rejects.toThrow('Unknown tool: nothing')
  const { instructions, capabilities } = await client.discover()
  expect(instructions).toBe('## files\n\nReads files.')
  expect(capabilities).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } })
  await gateway.close()
})

test('a bridge looks like its server', async () => {
  await using gateway = bridge(createFiles())
  await using client = await connect(gateway)
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['read', 'ask'])
  expect(await client.callTool('read')).toMatchObject({ content: [{ text: 'contents' }] })
  expect(await client.discover()).toMatchObject({ instructions: 'Reads files.' })
})

test('a change of a list, and of a resource, reaches the subscriber', async () => {
  const files = createFiles()
  await using gateway = createGateway({ servers: { files, other: createFiles() } })
  await using client = await connect(gateway)
  await using subscription = client.listen({ toolsListChanged: true, resourceSubscriptions: ['file:///a.txt'] })
  const acknowledged = await subscription.acknowledged
  expect(acknowledged).toMatchObject({ toolsListChanged: true, resourceSubscriptions: ['file:///a.txt'] })
  const changes = subscription[Symbol.asyncIterator]()
  files.tool('added', {}, () => '')
  expect((await changes.next()).value).toEqual({ type: 'tools' })
  expect((await client.tools().toArray()).map(({ name }) => name)).toContain('files__added')
  files.resourceUpdated('file:///a.txt')
  expect((await changes.next()).value).toEqual({ type: 'resource', uri: 'file:///a.txt' })
})

test('at most `maxRequests` are sent to a server at the same time, and the others wait for their turn', async () => {
  const held: (() => void)[] = []
  let opened = 0
  const slow = createServer({ name: 'slow', version: '1' }).tool(
    'hold',
    { input: { type: 'object', properties: { nth: { type: 'number' } } } as const },
    async ({ nth }) => {
      await new Promise<void>((resolve) => held.push(resolve))
      return String(nth)
    },
  )
  const http = createHttpServer(nodeHandler(slow)).on('connection', () => opened++)
  await once(http.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void http.close())
  const target = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  await using gateway = createGateway({ servers: { slow: { target, maxRequests: 2 } } })
  await using client = await connect(gateway)
  await client.tools().toArray()
  await using subscription = client.listen({ toolsListChanged: true })
  await subscription.acknowledged
  opened = 0
  const cancelling = new AbortController()
  const calls = [1, 2, 3, 4, 5].map((nth) =>
    client.callTool('slow__hold', { nth }, nth === 4 ? { signal: cancelling.signal } : {}),
  )
  await eventually(() => expect(held.length).toBe(2))
  expect(gateway.status().servers.slow?.inFlight).toBe(3)
  cancelling.abort()
  await expect(calls[3]).rejects.toThrow()
  for (const count of [3, 4]) {
    held[count - 3]?.()
    await eventually(() => expect(held.length).toBe(count))
  }
  held[2]?.()
  held[3]?.()
  const results = await Promise.all([0, 1, 2, 4].map((at) => calls[at]))
  expect(results).toMatchObject(['1', '2', '3', '5'].map((text) => ({ content: [{ text }] })))
  expect(opened).toBeLessThanOrEqual(2)
  expect(gateway.status().servers.slow?.inFlight).toBe(1)
})

test('an unknown option is refused, with the nearest name', () => {
  const servers = { files: createFiles() }
  const unchecked = createGateway as (options: object) => unknown
  expect(() => unchecked({ servers, polcy: [] })).toThrow('createGateway(): unknown option "polcy". Did you mean "policy"?')
  expect(() => unchecked({ mcpServers: {} })).toThrow(
    'createGateway(): unknown option "mcpServers". Pass servers: { NAME: target }',
  )
  expect(() => unchecked({})).toThrow('createGateway(): servers is missing')
  expect(() => unchecked({ servers: { files: { target: createFiles(), idleTimeout: 1 } } })).toThrow(
    'createGateway(): the server "files": unknown option "idleTimeout". Did you mean "idleTimeoutMs"?',
  )
  expect(() => unchecked({ servers: { files: { url: 'https://example.com/mcp' } } })).toThrow('Pass it as "target"')
  expect(() => createGateway({ servers: { files: { target: createFiles(), protocolVersion: '2020-01-01' } } })).toThrow(
    'createGateway(): the server "files": protocolVersion must be one of 2024-11-05',
  )
  for (const option of ['sharing', 'capabilities'])
    expect(() => unchecked({ servers: { files: { target: createFiles(), [option]: 'none' } } })).toThrow(
      new RegExp(`the server "files": ${option} must be "[a-z]+" or .*, not "none"`),
    )
  expect(() =>
    createGateway({ servers: { a: { target: createFiles(), alias: 'x' }, b: { target: createFiles(), alias: 'x' } } }),
  ).toThrow('Two servers have the same alias')
  const uncheckedBridge = bridge as (target: Server, options: object) => unknown
  expect(() => uncheckedBridge(createFiles(), { sealingKey: [] })).toThrow(
    'bridge(): unknown option "sealingKey". Did you mean "sealingKeys"?',
  )
})

test('all lists together wait once for a server that never answers', async () => {
  const target = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }
  await using gateway = createGateway({ servers: { files: createFiles(), silent: { target, listTimeoutMs: 2000 } } })
  for (const options of [{}, { protocolVersion: '2025-11-25' }, { elicit: () => 'decline' as const }]) {
    await using client = await connect(gateway, options)
    const startedAt = performance.now()
    const tools = await client.tools().toArray()
    expect(tools.length).toBeGreaterThan(0)
    await client.resources().toArray()
    await client.prompts().toArray()
    expect(performance.now() - startedAt).toBeLessThan(3900)
  }
})

test('closing does not wait for a server that never answers', async () => {
  const target = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }
  const gateway = createGateway({ servers: { silent: { target, startTimeoutMs: 1000 } } })
  const client = await connect(gateway)
  expect(await client.tools().toArray()).toEqual([])
  expect(gateway.status().servers.silent).toMatchObject({ state: 'connecting', connections: 1 })
  const startedAt = performance.now()
  await gateway.close()
  expect(performance.now() - startedAt).toBeLessThan(30_000)
  await client.close()
})

test('the error of a server that cannot be reached says what to check', async () => {
  await using gateway = createGateway({ servers: { dead: 'http://127.0.0.1:9/mcp' } })
  await using client = await connect(gateway)
  await client.tools().toArray()
  expect(gateway.status().servers.dead?.error).toBe(
    'Could not connect to http://127.0.0.1:9/mcp: the connection was refused. Is the server running, and is the port right? Does it listen on this address? (ECONNREFUSED)',
  )
})

test('callers do not learn the PATH and folders of the gateway from a program that cannot be started', async () => {
  const servers = {
    missing: { command: 'no-such-program', args: [] },
    misplaced: { command: process.execPath, cwd: '/no/such/folder' },
  }
  await using gateway = createGateway({ servers })
  await using client = await connect(gateway)
  const { _meta } = await client.request('tools/list', {})
  const reason = 'its program could not be started (ENOENT)'
  expect(_meta).toEqual({ 'io.github.portcall/unavailable': { missing: reason, misplaced: reason } })
  const error = await client.callTool('missing__x').catch(String)
  expect(error).toContain(`The server missing is not available: ${reason}`)
  expect(gateway.status().servers.missing?.error).toContain(`PATH is ${process.env.PATH}`)
  expect(gateway.status().servers.misplaced?.error).toContain('/no/such/folder does not exist')
  await using strict = createGateway({ servers: { missing: { target: servers.missing, required: true } } })
  await using other = await connect(strict)
  await expect(other.tools().toArray()).rejects.toThrow(reason)
})

const ERAS = ['2025-11-25', '2026-07-28'] as const

/** Puts a gateway in front of a server of an era. `sent` are the messages that it sends there. */
function openGateway(server: Server, protocolVersion: string): { gateway: Gateway; sent: JsonObject[] } {
  const sent: JsonObject[] = []
  const [near, far] = channelPair()
  serveChannel(server, far)
  const target: Channel = {
    ...near,
    send(message) {
      sent.push(...([message].flat() as unknown as JsonObject[]))
      return near.send(message)
    },
  }
  const gateway = createGateway({ servers: { box: { target, protocolVersion } } })
  onTestFinished(() => gateway.close())
  return { gateway, sent }
}

test.each(ERAS)('with a server of %s, the last of two subscribers ends the only subscription, once', async (era) => {
  const server = createServer({ name: 'box', version: '1' })
    .resource('note://a', { name: 'a' }, () => 'a')
    .tool('hello', {}, () => 'hello')
  const { gateway, sent } = openGateway(server, era)
  await using one = await connect(gateway)
  await using two = await connect(gateway)
  const [first, last] = [one, two].map((client) => client.listen({ resourceSubscriptions: ['note://a'] }))
  await Promise.all([first?.acknowledged, last?.acknowledged])
  const [starts, ends] =
    era === '2026-07-28' ? ['subscriptions/listen', 'notifications/cancelled'] : ['resources/subscribe', 'resources/unsubscribe']
  const count = (wanted: string): number => sent.filter(({ method }) => method === wanted).length
  first?.close()
  const changes = last?.[Symbol.asyncIterator]()
  server.resourceUpdated('note://a')
  expect((await changes?.next())?.value).toEqual({ type: 'resource', uri: 'note://a' })
  await two.callTool('box__hello')
  expect([count(starts), count(ends)]).toEqual([1, 0])
  last?.close()
  await eventually(() => expect(count(ends)).toBe(1))
  await two.callTool('box__hello')
  expect([count(starts), count(ends)]).toEqual([1, 1])
})

describe.each(ERAS)('a client of %s', (front) => {
  test.each(ERAS)('gets nothing of a call that it has cancelled, though a server of %s still answers', async (era) => {
    let release!: () => void
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let [hasStarted, hasAborted, hasEnded] = [false, false, false]
    const server = createServer({ name: 'box', version: '1' })
      .tool('hello', {}, () => 'hello')
      .tool('stubborn', {}, async (_input, call) => {
        call.signal.addEventListener('abort', () => (hasAborted = true))
        hasStarted = true
        await call.progress(1, 3)
        await released
        await Promise.resolve(call.progress(2, 3)).catch(() => {})
        hasEnded = true
        return 'late'
      })
    const { gateway } = openGateway(server, era)
    const [near, far] = channelPair()
    serveChannel(gateway, far)
    onTestFinished(() => near.close())
    const received: JsonObject[] = []
    near.receive(
      (input) => void ('value' in input && received.push(input.value as JsonObject)),
      () => {},
    )
    const _meta = {
      progressToken: 'p',
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const send = (message: object): unknown => near.send({ jsonrpc: '2.0', ...message } as never)
    const call = (id: number, name: string): unknown =>
      send({
        id,
        method: 'tools/call',
        params: { name, arguments: {}, _meta: front === '2026-07-28' ? _meta : { progressToken: 'p' } },
      })
    const answered = (id: number): Promise<unknown> =>
      eventually(() => expect(received).toContainEqual(expect.objectContaining({ id, result: expect.anything() })))
    if (front !== '2026-07-28') {
      const params = { protocolVersion: front, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
      send({ id: 1, method: 'initialize', params })
      await answered(1)
      send({ method: 'notifications/initialized' })
    }
    call(0, 'box__stubborn')
    await eventually(() => expect(hasStarted && received.some(({ method }) => method === 'notifications/progress')).toBe(true))
    const before = received.length
    send({ method: 'notifications/cancelled', params: { requestId: 0 } })
    await eventually(() => expect(hasAborted).toBe(true))
    release()
    await eventually(() => expect(hasEnded).toBe(true))
    // A response of the cancelled call would arrive before this one, which is sent later on the same channel.
    call(2, 'box__hello')
    await answered(2)
    expect(received.slice(before).map(({ id, method }) => id ?? method)).toEqual([2])
  })
})

test('three nested gateways call, read, complete and subscribe, and tell long names and equal URIs apart', async () => {
  const prefix = 'n'.repeat(100)
  const names = [`${prefix}one_and_twenty_chars`, `${prefix}two_and_twenty_chars`]
  const create = (name: string): Server => {
    const server = createServer({ name, version: '1' })
      .resource('note://a', { name: 'a' }, () => `a of ${name}`)
      .resource('row:///{id}', { name: 'row', complete: { id: () => [`${name}-1`] } }, ({ id }) => `${id} of ${name}`)
      .prompt(
        'greet',
        {
          arguments: { type: 'object', properties: { who: { type: 'string' } } } as const,
          complete: { who: () => [`Ada of ${name}`] },
        },
        () => 'Hello',
      )
    for (const tool of names) server.tool(tool, {}, () => `${tool} of ${name}`)
    return server
  }
  const [red, blue] = [create('red'), create('blue')]
  await using inner = createGateway({ servers: { red, blue } })
  await using middle = createGateway({ servers: { inner, other: create('other') } })
  await using outer = createGateway({ servers: { middle, last: create('last') } })
  await using client = await connect(outer)

  const tools = (await client.tools().toArray()).map(({ name }) => name)
  expect(tools).toHaveLength(8)
  expect(Math.max(...tools.map((name) => name.length))).toBeLessThanOrEqual(60)
  const results = await Promise.all(tools.map((name) => client.callTool(name)))
  const servers = ['red', 'blue', 'other', 'last']
  expect(results.map(({ content }) => (content as { text: string }[])[0]?.text)).toEqual(
    servers.flatMap((server) => names.map((name) => `${name} of ${server}`)),
  )

  const uris = (await client.resources().toArray()).map(({ uri }) => uri)
  expect(new Set(uris).size).toBe(4)
  const texts = await Promise.all(uris.map(async (uri) => (await client.readResource(uri)).contents[0]))
  expect(texts).toMatchObject(servers.map((server, index) => ({ uri: uris[index], text: `a of ${server}` })))

  const prompts = await client.prompts().toArray()
  const templates = await client.resourceTemplates().toArray()
  for (const [index, server] of servers.entries()) {
    const prompt = { type: 'ref/prompt' as const, name: prompts[index]?.name ?? '' }
    expect(await client.complete(prompt, { name: 'who', value: '' })).toMatchObject({ values: [`Ada of ${server}`] })
    const template = { type: 'ref/resource' as const, uri: templates[index]?.uriTemplate ?? '' }
    expect(await client.complete(template, { name: 'id', value: '' })).toMatchObject({ values: [`${server}-1`] })
  }

  const uri = uris[1] ?? ''
  await using subscription = client.listen({ resourceSubscriptions: [uri] })
  expect(await subscription.acknowledged).toMatchObject({ resourceSubscriptions: [uri] })
  const next = subscription[Symbol.asyncIterator]().next()
  red.resourceUpdated('note://a')
  blue.resourceUpdated('note://a')
  expect((await next).value).toEqual({ type: 'resource', uri })
})
