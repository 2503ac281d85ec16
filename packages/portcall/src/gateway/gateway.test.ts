import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import { connect } from '../entrypoints/client.ts'
import { createServer, type Server } from '../entrypoints/index.ts'
import { nodeHandler } from '../entrypoints/node.ts'
import { bridge } from './bridge.ts'
import { createGateway } from './gateway.ts'

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
  await using gateway = createGateway({ servers: { files: createFiles(), silent: { target, listTimeoutMs: 1000 } } })
  for (const options of [{}, { protocolVersion: '2025-11-25' }, { elicit: () => 'decline' as const }]) {
    await using client = await connect(gateway, options)
    const startedAt = performance.now()
    const tools = await client.tools().toArray()
    expect(tools.length).toBeGreaterThan(0)
    await client.resources().toArray()
    await client.prompts().toArray()
    expect(performance.now() - startedAt).toBeLessThan(1900)
  }
})

test('closing does not wait for a server that never answers', async () => {
  const gateway = createGateway({ servers: { silent: { command: process.execPath, args: ['-e', 'process.stdin.resume()'] } } })
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
    'Could not connect to http://127.0.0.1:9/mcp: the connection was refused. Is the server running, and is the port right? (ECONNREFUSED)',
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
