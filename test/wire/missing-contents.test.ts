import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { mount } from 'portcall/compose'
import { createGateway } from 'portcall/gateway'
import type { JsonObject, Request, Response } from 'portcall/jsonrpc'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveExchange, startScriptedServer } from '../../packages/portcall/test-kit/scripted-server.ts'

const uri = 'go://empty'
const embedded = { type: 'resource', resource: { uri } }
const META = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

/** Results as the Go SDK writes them: without the text of a resource, because it is empty. */
const RESULTS: { readonly [method: string]: JsonObject } = {
  'server/discover': {
    ...META,
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: 'go', version: '1' },
  },
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: 'go', version: '1' },
  },
  'tools/list': { ...META, tools: [{ name: 'get', inputSchema: { type: 'object' } }] },
  'resources/list': { ...META, resources: [{ uri, name: 'empty' }] },
  'resources/templates/list': { ...META, resourceTemplates: [] },
  'prompts/list': { ...META, prompts: [{ name: 'ask' }] },
  'tools/call': { ...META, content: [embedded] },
  'resources/read': { ...META, contents: [{ uri }] },
  'prompts/get': { ...META, messages: [{ role: 'user', content: embedded }] },
}

function respond({ id, method }: Pick<Request, 'id' | 'method'>): Response {
  const result = RESULTS[method]
  return result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }
}

async function startServer(era: 'modern' | 'legacy'): Promise<string> {
  const { url } = await startScriptedServer((request) => {
    const { json } = request
    if (json?.id === undefined) return request.send(json ? 202 : 405)
    const isUnknown = era === 'legacy' && json.method === 'server/discover'
    const response = isUnknown ? { jsonrpc: '2.0', id: json.id, error: { code: -32601, message: 'no' } } : respond(json)
    request.send(200, JSON.stringify(response), { 'content-type': 'application/json' })
  })
  return url
}

describe.each(['modern', 'legacy'] as const)('a %s server that leaves out empty texts', (era) => {
  const read = { uri, text: '' }
  const check = async (client: Awaited<ReturnType<typeof connect>>): Promise<void> => {
    const [tool] = await client.tools().toArray()
    const [prompt] = await client.prompts().toArray()
    expect((await client.callTool(tool?.name ?? '')).content).toMatchObject([{ resource: read }])
    expect((await client.readResource(uri)).contents).toMatchObject([read])
    expect((await client.getPrompt(prompt?.name ?? '')).messages).toMatchObject([{ content: { resource: read } }])
  }

  test('a client', async () => {
    await using client = await connect(await startServer(era))
    await check(client)
  })

  test.each(['2025-06-18', '2026-07-28'])('a client of %s behind a gateway', async (protocolVersion) => {
    const gateway = createGateway({ servers: { go: await startServer(era) } })
    onTestFinished(() => gateway.close())
    const { url } = await serveExchange(gateway.exchange)
    await using client = await connect(url, { protocolVersion })
    await check(client)
    // As an official client sees it, which refuses contents without text.
    const raw = await client.request('resources/read', { uri })
    expect(raw.contents).toMatchObject([read])
  })

  test('a client whose server is mounted', async () => {
    await using inner = await connect(await startServer(era))
    await using client = await connect(mount(createServer({ name: 'outer', version: '1' }), inner))
    await check(client)
  })
})
