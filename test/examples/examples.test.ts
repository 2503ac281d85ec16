import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Server } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { server as asking } from '../../examples/asking.ts'
import { server as changes } from '../../examples/changes.ts'
import { server as changingTools } from '../../examples/changing-tools.ts'
import { handler } from '../../examples/fetch.ts'
import { server as header } from '../../examples/header.ts'
import { server as progress } from '../../examples/progress.ts'
import { server as prompts } from '../../examples/prompts.ts'
import { server as resources } from '../../examples/resources.ts'
import { server as sampling } from '../../examples/sampling.ts'
import { charges, server as steps } from '../../examples/steps.ts'
import { callTool, converse } from '../../examples/testing-messages.ts'
import { events, server as toolErrors } from '../../examples/tool-errors.ts'
import { server as tools } from '../../examples/tools.ts'
import { server as urls } from '../../examples/urls.ts'
import { server as visible } from '../../examples/visible.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'
import { createDriver, type Driver } from '../support/driver.ts'
import { withEnvelope } from '../support/envelope.ts'
import type { RevisionName } from '../support/setups.ts'
import { memoryWire } from '../support/wire-memory.ts'

const MODERN = '2026-07-28'
const ACCEPT = 'application/json, text/event-stream'

async function talkTo(server: Server, revision: RevisionName = MODERN): Promise<Driver> {
  const peer = await createDriver((receive) => memoryWire(server, receive), { transport: 'memory', revision })
  onTestFinished(async () => {
    await peer.close()
    expect(peer.violations).toEqual([])
  })
  return peer
}

const call = async (peer: Driver, name: string, args: JsonObject = {}, options = {}): Promise<JsonObject> =>
  (await peer.request('tools/call', { name, arguments: args }, options)).result
const textOf = (result: JsonObject): unknown => (result.content as { text?: string }[] | undefined)?.[0]?.text

describe('examples of the documentation', () => {
  test('tools', async () => {
    const peer = await talkTo(tools)
    const { result } = await peer.request('tools/list')
    expect((result.tools as { name: string }[]).map(({ name }) => name)).toEqual(['divide', 'shout', 'picture'])
    expect(await call(peer, 'divide', { dividend: 3, divisor: 2 })).toMatchObject({ structuredContent: { quotient: 1.5 } })
    expect(await call(peer, 'divide', { dividend: 3, divisor: 0 })).toMatchObject({
      isError: true,
      content: [{ text: 'The divisor must not be 0' }],
    })
    expect(textOf(await call(peer, 'divide', { dividend: 'x' }))).toMatch(/Invalid arguments:\n- dividend: .*\n- divisor: /)
    expect(textOf(await call(peer, 'shout', { text: 'hey' }))).toBe('HEY')
    expect(await call(peer, 'picture')).toMatchObject({
      content: [{ type: 'text' }, { type: 'image' }, { type: 'resource_link' }],
    })
  })

  test('tool-errors', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const peer = await talkTo(toolErrors)
    const take = async (fruit: string): Promise<unknown> => textOf(await call(peer, 'take', { fruit }))
    expect(await take('plum')).toBe('There is no plum')
    for (const left of ['2 left', '1 left', '0 left']) expect(await take('pear')).toBe(left)
    events.splice(0)
    const text = await take('pear')
    expect(events).toMatchObject([{ type: 'error', error: { message: expect.stringContaining('shelf') } }])
    expect(text).toMatch(/^The tool failed\. Reference: [0-9a-f]{8}$/)
    expect(text).toContain((events[0] as { reference: string }).reference)
    vi.restoreAllMocks()
  })

  test('progress', async () => {
    const peer = await talkTo(progress)
    const counted = await peer.request('tools/call', { name: 'count', arguments: { to: 3 } }, { meta: { progressToken: 1 } })
    expect(counted.notifications.map(({ params }) => params?.progress)).toEqual([1, 2, 3])
  })

  test('header', async () => {
    const peer = await talkTo(header)
    const { result } = await peer.request('tools/list')
    expect(result.tools).toMatchObject([{ inputSchema: { properties: { region: { 'x-mcp-header': 'Region' } } } }])
    expect(textOf(await call(peer, 'query', { region: 'eu', text: 'all' }))).toBe('all in eu')
  })

  test('visible', async () => {
    const peer = await talkTo(visible)
    expect((await peer.request('tools/list')).result.tools).toEqual([])
    expect((await peer.request('tools/call', { name: 'purge' })).error?.code).toBe(-32602)
  })

  test('changing-tools', async () => {
    const peer = await talkTo(changingTools)
    expect(textOf(await call(peer, 'count'))).toBe('1, 2, 3')
    expect(textOf(await call(peer, 'maintenance'))).toBe('Counting is off')
    expect((await peer.request('tools/call', { name: 'count' })).error?.code).toBe(-32602)
  })

  test('resources', async () => {
    const peer = await talkTo(resources)
    const read = async (uri: string): Promise<unknown> => {
      const { result, error } = await peer.request('resources/read', { uri })
      return (result.contents as JsonObject[] | undefined)?.[0] ?? error
    }
    const { result } = await peer.request('resources/list')
    expect((result.resources as { uri: string }[]).map(({ uri }) => uri)).toContain('book://dune')
    expect(await read('config://settings')).toMatchObject({ text: '{"colour":"green"}', mimeType: 'application/json' })
    expect(await read('bin://seed')).toMatchObject({ blob: 'AQID' })
    expect(await read('log://today')).toMatchObject({ text: 'first line\nsecond line\n' })
    expect(await read('book://dune')).toMatchObject({ text: 'Dune, 412 pages' })
    expect(await read('book://dune?page=3')).toMatchObject({ text: 'Dune, page 3' })
    expect(await read('book://constructor')).toMatchObject({ code: -32602 })
    expect(await read('square://12')).toMatchObject({ text: '144' })
    expect(await read('square://twelve')).toMatchObject({ code: -32602 })
    const ref = { type: 'ref/resource', uri: 'book://{id}{?page}' }
    const { completion } = (await peer.request('completion/complete', { ref, argument: { name: 'id', value: 'e' } })).result
    expect(completion).toMatchObject({ values: ['emma'] })
  })

  test('prompts and completion', async () => {
    const peer = await talkTo(prompts)
    const { result } = await peer.request('prompts/get', { name: 'review', arguments: { code: '1+1' } })
    expect(result.messages).toMatchObject([{ content: { text: 'Review this code. Be kind.' } }, { content: { text: '1+1' } }])
    const ref = { type: 'ref/prompt', name: 'visit' }
    const context = { arguments: { country: 'italy' } }
    const { completion } = (await peer.request('completion/complete', { ref, argument: { name: 'city', value: 'b' }, context }))
      .result
    expect(completion).toMatchObject({ values: ['Bologna'] })
  })

  /** Opens a peer whose user and model answer. */
  async function talkToOpen(server: Server, revision: RevisionName): Promise<Driver> {
    const peer = await talkTo(server, revision)
    const answers: Record<string, JsonObject> = {
      'For how many people, and when?': { people: 4 },
      'Pay 7?': { agreed: true },
      'How was it?': { rating: 5 },
      'What is your name?': { name: 'Ann' },
      'Sign in to connect your account': {},
    }
    peer.onInputRequest(({ method, params }) => {
      if (method === 'roots/list') return { roots: [{ uri: 'file:///home/ann' }] }
      if (method === 'sampling/createMessage')
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Ships' }, stopReason: 'endTurn' }
      const content = answers[params.message as string]
      return content ? { action: 'accept', ...(params.mode === 'url' ? {} : { content }) } : { action: 'decline' }
    })
    return peer
  }

  describe.each(['2025-11-25', MODERN] as const)('%s', (revision) => {
    test('asking', async () => {
      const peer = await talkToOpen(asking, revision)
      expect(textOf(await call(peer, 'book'))).toBe('A table for 4, for dinner')
      expect(textOf(await call(peer, 'subscribe'))).toBe('Not subscribed')
      expect(textOf(await call(peer, 'introduce'))).toBe('Ann works on file:///home/ann')
    })

    test('steps', async () => {
      charges.splice(0)
      expect(textOf(await call(await talkToOpen(steps, revision), 'buy', { price: 7 }))).toBe('Receipt 1, rated 5')
      expect(charges).toEqual([7])
    })

    test('sampling', async () => {
      expect(textOf(await call(await talkToOpen(sampling, revision), 'haiku'))).toBe('Ships')
    })

    test('urls', async () => {
      expect(textOf(await call(await talkToOpen(urls, revision), 'connect'))).toContain('Connected')
    })
  })

  test('changes', async () => {
    const peer = await talkTo(changes)
    const news = await peer.changes({ promptsListChanged: true, resourceSubscriptions: ['count://visits'] })
    await call(peer, 'visit')
    await call(peer, 'learn')
    await eventually(() => expect(news.received).toHaveLength(2))
    expect(news.received.map(({ method }) => method)).toEqual([
      'notifications/resources/updated',
      'notifications/prompts/list_changed',
    ])
    await news.close()
  })

  test('calling a server without a transport', async () => {
    expect(await callTool(MODERN, 'add', { a: 1, b: 2 })).toEqual([{ type: 'text', text: '3' }])
    const initialize = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const received = await converse([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
    ])
    expect(received).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-03-26' } },
      { id: 2, result: { content: [{ text: '3' }] } },
    ])
  })
})

const self = { revision: MODERN, clientInfo: { name: 'raw', version: '1' }, capabilities: {} }
const toolCall = (name: string, args: JsonObject = {}): { body: string; headers: Record<string, string> } => ({
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: withEnvelope({ name, arguments: args }, self) }),
  headers: {
    'content-type': 'application/json',
    accept: ACCEPT,
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  },
})

async function run(name: string): Promise<{ lines: AsyncIterator<string>; write(text: string): void }> {
  const program = await compileProgram(fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url)))
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, PORT: '0' } })
  onTestFinished(async () => {
    child.stdin.end()
    if (name !== 'stdio') child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    write: (text) => void child.stdin.write(text),
  }
}

describe('programs', () => {
  const post = async (
    url: string,
    request: ReturnType<typeof toolCall>,
    headers = {},
  ): Promise<{ status: number; json: unknown }> => {
    const response = await fetch(url, { method: 'POST', body: request.body, headers: { ...request.headers, ...headers } })
    return { status: response.status, json: await response.json() }
  }

  test('hello', async () => {
    const { lines } = await run('hello')
    const url = (await lines.next()).value.replace('Listening at ', '')
    expect(await post(url, toolCall('greet', { name: 'Ann' }))).toMatchObject({
      status: 200,
      json: { result: { content: [{ text: 'Hello, Ann!' }] } },
    })
  })

  test('cluster', async () => {
    const { lines } = await run('cluster')
    const url = (await lines.next()).value
    const workers = Math.min(2, availableParallelism())
    if (workers === 2) expect((await lines.next()).value).toBe(url)
    const answers = new Set<unknown>()
    await eventually(async () => {
      const { json } = await post(url, toolCall('which'), { connection: 'close' })
      answers.add((json as { result: { content: { text: string }[] } }).result.content[0]?.text)
      expect(answers.size).toBeGreaterThanOrEqual(workers)
    })
  })

  test('stdio', async () => {
    const { lines, write } = await run('stdio')
    write(`${toolCall('greet', { name: 'Ann' }).body}\n`)
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 1, result: { content: [{ text: 'Hello, Ann!' }] } })
  })

  test('http', async () => {
    const { lines } = await run('http')
    const url = (await lines.next()).value
    expect(await post(url, toolCall('whoami'))).toMatchObject({ status: 401 })
    expect(await post(url, toolCall('whoami'), { authorization: 'Bearer secret-of-ann' })).toMatchObject({
      status: 200,
      json: { result: { content: [{ text: 'You are ann' }] } },
    })
  })

  test('mount', async () => {
    const { lines } = await run('mount')
    const port = /port: (\d+)/.exec((await lines.next()).value)?.[1]
    expect(await post(`http://127.0.0.1:${port}/mcp`, toolCall('ping'))).toMatchObject({ status: 200 })
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('Something else')
  })

  test('fetch', async () => {
    const { body, headers } = toolCall('ping')
    const response = await handler(new Request('https://mcp.example.com/mcp', { method: 'POST', body, headers }))
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'pong' }] } })
    const refused = await handler(new Request('https://evil.example.com/mcp', { method: 'POST', body, headers }))
    expect(refused.status).toBe(403)
    await handler.close()
  })
})
