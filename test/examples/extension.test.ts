import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { defineServerExtension, type Server } from 'portcall'
import { defineClientExtension as clientExtension, connect } from 'portcall/client'
import type { Request } from 'portcall/jsonrpc'
import { connectPair, type PairOptions } from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createPollServer, ID } from '../../examples/extension.ts'
import { lunch, polls } from '../../examples/extension-client.ts'
import { compileProgram } from '../support/compile.ts'

/** Creates a server that records its requests. */
function listening(): { server: ReturnType<typeof createPollServer>; asked: Request[] } {
  const asked: Request[] = []
  const server = createPollServer()
  server.use((request, context, next) => {
    asked.push(request)
    return next(request, context)
  })
  onTestFinished(() => server.close())
  return { server, asked }
}

const join = async <S extends Server>(server: S, options: PairOptions) => {
  const client = await connectPair(server, { ...options, extensions: [polls] })
  onTestFinished(() => client.close())
  return client
}

describe.each(['memory', 'stdio', 'http'] as const)('a third-party extension, %s', (transport) => {
  test('VER-017 SUB-006 TSKX-004 adds methods, result types, subscriptions and members', async () => {
    const { server, asked } = listening()
    const client = await join(server, { transport })
    const votes: number[] = []
    let notified!: () => void
    const second = new Promise<void>((resolve) => {
      notified = resolve
    })
    const watching = client.polls.watch('soup', (count) => votes.push(count) === 2 && notified())
    expect(await watching.acknowledged).toEqual({ polls: ['soup'] })
    expect(await client.polls.vote('soup')).toBe(1)
    expect((await client.callTool('lunch')).content).toEqual([{ type: 'text', text: 'soup: 2' }])
    await second
    expect(votes).toEqual([1, 2])
    expect(server.polls.count('soup')).toBe(2)
    const declared = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [ID]: {} } } }
    for (const { params } of asked) expect(params?._meta).toMatchObject(declared)
    expect(asked.length).toBeGreaterThan(3)
  })

  test('VER-018 VER-020 a client without the extension receives core results', async () => {
    const { server } = listening()
    const client = await connectPair(server, { transport })
    onTestFinished(() => client.close())
    expect((await client.callTool('lunch')).content).toEqual([{ type: 'text', text: 'Soup, by 0 votes' }])
    await expect(client.request('polls/vote', { poll: 'soup' })).rejects.toMatchObject({ code: -32021 })
  })

  test.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'clients of %s can use it, and receive results of the usual type',
    async (protocolVersion) => {
      const { server } = listening()
      const client = await join(server, { transport, protocolVersion })
      expect(await client.polls.vote('soup')).toBe(1)
      expect(server.polls.count('soup')).toBe(1)
    },
  )
})

test('TSKX-031 HTTP-059 over HTTP, Mcp-Name has the name of a method of an extension', async () => {
  const { server } = listening()
  const client = await join(server, { transport: 'http' })
  const post = (name: string | undefined, poll: string) =>
    fetch(String(client.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'polls/vote',
        ...(name !== undefined && { 'mcp-name': name }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'polls/vote',
        params: {
          poll,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': { extensions: { [ID]: {} } },
          },
        },
      }),
    })
  expect(await (await post('soup', 'soup')).json()).toMatchObject({ result: { count: 1 } })
  for (const name of ['stew', undefined]) {
    const refused = await post(name, 'soup')
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { code: -32020 } })
  }
})

test('an extension of the newest revision is not advertised in others', async () => {
  const modern = defineServerExtension({
    id: 'com.example/modern',
    legacy: false,
    setup: (host) => host.method('modern/say', {}, () => ({})),
  })
  const { createServer } = await import('portcall')
  const server = createServer({ name: 'modern', version: '1' }, { extensions: [modern] })
  const speaks = clientExtension({ id: 'com.example/modern', name: 'modern', setup: (host) => host })
  const client = await connectPair(server, { protocolVersion: '2025-11-25', extensions: [speaks] })
  expect(await client.modern.serverCapability()).toBeUndefined()
  await expect(client.modern.requireCapability()).rejects.toMatchObject({
    name: 'ExtensionUnsupportedError',
    code: 'EXTENSION_UNSUPPORTED',
  })
  await expect(client.request('modern/say')).rejects.toMatchObject({ code: -32021 })
  await client.close()
})

test('the extensions of a client must have unique names', async () => {
  const { server } = listening()
  const named = (id: string, name: string) => clientExtension({ id, name, setup: () => ({}) })
  await expect(connect(server, { extensions: [named('a/b', 'close')] })).rejects.toThrow(/cannot be named/)
  await expect(connect(server, { extensions: [named('a/b', 'x'), named('a/b', 'y')] })).rejects.toThrow(/installed twice/)
  await expect(connect(server, { extensions: [named('b', 'x')] })).rejects.toThrow(/is not a valid extension id/)
})

test('the example of the documentation', async () => {
  expect(await lunch(listening().server)).toBe('[{"type":"text","text":"soup: 2"}] after 2 votes')
})

test('extension-stats', async () => {
  const source = fileURLToPath(new URL('../../examples/extension-stats.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [await compileProgram(source)])
  expect(stdout).toBe('{ greet: 1 }\n')
})
