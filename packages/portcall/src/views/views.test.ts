import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { callerOf } from '../../test-kit/server.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import { LEGACY_VERSIONS, MODERN_VERSIONS } from '../protocol/revisions.ts'
import type { ServerEvent } from '../server/events.ts'
import { createServer } from '../server/server.ts'
import { connectPair } from '../testing/pair/pair.ts'
import type { ViewOptions } from './options.ts'
import { showsViews } from './shows-views.ts'
import type { ViewSource } from './source.ts'
import { view } from './view.ts'

const HTML = '<!doctype html><title>Chart</title><p>Chart</p>'
const REVISION = createHash('sha256').update(HTML).digest('hex').slice(0, 12)
const BASE = 'ui://my-charts/draw.html'
const URI = `${BASE}?v=${REVISION}`
const TOOL_META = { ui: { resourceUri: URI, visibility: ['model', 'app'] }, 'ui/resourceUri': URI }
const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

function serverWith(options: ViewOptions = {}, source: ViewSource = { html: HTML }) {
  const events: ServerEvent[] = []
  const server = createServer({ name: 'My charts', version: '1' }, { onEvent: (event) => void events.push(event) })
  server.tool('draw', { output: z.object({ bars: z.array(z.number()) }), view: view(source, options) }, (_, call) => {
    return { structuredContent: { bars: [1, 2] }, ...(showsViews(call) && { content: [{ type: 'text', text: 'Two bars' }] }) }
  })
  return { server, events, caller: callerOf(server) }
}

type Listed = { tools: JsonObject[]; resources: JsonObject[] }

async function listAll(caller: ReturnType<typeof callerOf>, meta: JsonObject = {}, context: object = {}): Promise<Listed> {
  const params = Object.keys(meta).length > 0 ? { _meta: meta } : {}
  const { tools } = await caller.result('tools/list', params, context)
  const { resources } = await caller.result('resources/list', params, context)
  return { tools, resources } as Listed
}

const read = async (caller: ReturnType<typeof callerOf>, uri: string): Promise<JsonObject> => {
  const { contents } = await caller.result('resources/read', { uri })
  return (contents as JsonObject[])[0] ?? {}
}

describe.each([...LEGACY_VERSIONS, ...MODERN_VERSIONS])('over %s', (protocolVersion) => {
  test.each([true, false])('a tool shows its view, whether the client declares views: %s', async (declares) => {
    const { server } = serverWith()
    await using client = await connectPair(server, { protocolVersion, ...(declares && { capabilities: APPS }) })
    const [tool] = await client.tools().toArray()
    expect(tool?._meta).toEqual(TOOL_META)
    expect(await client.resources().toArray()).toMatchObject([
      { uri: URI, mimeType: 'text/html;profile=mcp-app', name: 'draw.html' },
    ])
    expect(await client.readResource(URI)).toMatchObject({
      contents: [{ uri: URI, mimeType: 'text/html;profile=mcp-app', text: HTML }],
    })
    const { content } = await client.callTool('draw')
    expect(content).toEqual([{ type: 'text', text: declares ? 'Two bars' : '{"bars":[1,2]}' }])
  })
})

describe('the URI of a view', () => {
  test('answers the current page without a revision, with an old one, and in other spellings', async () => {
    const { caller } = serverWith()
    for (const uri of [URI, BASE, `${BASE}?v=000000000000`, `${BASE}?x=1#a`, BASE.toUpperCase(), BASE.replace('draw', '%64raw')])
      expect(await read(caller, uri)).toMatchObject({ uri, text: HTML })
    for (const uri of ['ui://other/draw.html', 'ui://my-charts/other.html', `${BASE}/more`, 'ui://my-charts/%E0%A4%A'])
      expect(await caller.error('resources/read', { uri })).toMatchObject({ message: expect.stringContaining('not found') })
  })

  test('changes with one byte of the page, and only then', async () => {
    const uris = await Promise.all(
      [HTML, HTML, `${HTML} `].map(async (html) => (await listAll(serverWith({}, { html }).caller)).resources[0]?.uri),
    )
    expect(uris[0]).toBe(URI)
    expect(uris[1]).toBe(URI)
    expect(uris[2]).not.toBe(URI)
  })

  test('has the name of the file, of its folder for index.html, or of the option', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'Sales chart.html')
    await writeFile(path, HTML)
    await writeFile(join(folder, 'index.html'), HTML)
    const uriOf = async (source: ViewSource, options: ViewOptions = {}) =>
      String((await listAll(serverWith(options, source).caller)).resources[0]?.uri)
    expect(await uriOf(path)).toBe(`ui://my-charts/sales-chart.html?v=${REVISION}`)
    expect(await uriOf(pathToFileURL(path))).toContain('/sales-chart.html?')
    expect(await uriOf('./Sales chart.html', { from: pathToFileURL(join(folder, 'server.js')) })).toContain('/sales-chart.html?')
    expect(await uriOf(join(folder, 'index.html'))).toContain(`/${folder.split('/').at(-1)?.toLowerCase()}.html?`)
    expect(await uriOf(path, { name: 'My view' })).toContain('/my-view.html?')
  })

  test('starts at the module that calls view', () => {
    expect(() => view('./missing.html')).toThrow(new URL('./missing.html', import.meta.url).pathname)
  })
})

describe('metadata', () => {
  const OPTIONS = {
    csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://*.example.com'] },
    permissions: ['camera', 'clipboardWrite'],
    domain: 'example.com',
    border: true,
    title: 'Chart',
    description: 'A chart',
  } satisfies ViewOptions
  const UI = {
    csp: OPTIONS.csp,
    permissions: { camera: {}, clipboardWrite: {} },
    domain: 'example.com',
    prefersBorder: true,
  }

  test('is that of the entry and of the contents', async () => {
    const { caller } = serverWith(OPTIONS)
    const { tools, resources } = await listAll(caller)
    expect(resources).toMatchObject([{ title: 'Chart', description: 'A chart', _meta: { ui: UI } }])
    expect((await read(caller, URI))._meta).toEqual({ ui: UI })
    expect(tools[0]?._meta).toEqual(TOOL_META)
  })

  test('has the keys of ChatGPT if it is one of the hosts', async () => {
    const events: ServerEvent[] = []
    const server = createServer({ name: 'My charts', version: '1' }, { onEvent: (event) => void events.push(event) })
    const chatgpt = {
      description: 'Shows bars',
      invoking: 'Drawing',
      invoked: 'Drawn',
      fileParams: ['image'],
      redirectDomains: ['https://example.com'],
    }
    const chart = view({ html: HTML }, { ...OPTIONS, text: true, hosts: ['chatgpt'], chatgpt, name: 'draw' })
    server.tool(
      'draw',
      { view: chart, scopes: ['charts'], visibility: ['app'], _meta: { own: 1, ui: { own: 2 } } },
      () => 'drawn',
    )
    const caller = callerOf(server)
    const { tools, resources } = await listAll(caller)
    const schemes = [{ type: 'oauth2', scopes: ['charts'] }]
    expect(tools[0]).toMatchObject({ securitySchemes: schemes })
    expect(tools[0]?._meta).toEqual({
      own: 1,
      ui: { own: 2, resourceUri: URI, visibility: ['app'] },
      'ui/resourceUri': URI,
      'openai/outputTemplate': URI,
      'openai/widgetAccessible': true,
      'openai/visibility': 'private',
      'openai/toolInvocation/invoking': 'Drawing',
      'openai/toolInvocation/invoked': 'Drawn',
      'openai/fileParams': ['image'],
      securitySchemes: schemes,
    })
    expect(resources[0]?._meta).toEqual({
      ui: UI,
      'openai/widgetCSP': {
        connect_domains: ['https://api.example.com'],
        resource_domains: ['https://*.example.com'],
        redirect_domains: ['https://example.com'],
      },
      'openai/widgetDomain': 'example.com',
      'openai/widgetPrefersBorder': true,
      'openai/widgetDescription': 'Shows bars',
    })
    expect((await read(caller, URI))._meta).toEqual(resources[0]?._meta)
  })

  test('the audience of a tool without a view', async () => {
    const server = createServer({ name: 'a', version: '1' }).tool('poll', { visibility: ['app'] }, () => 'x')
    expect(await callerOf(server).result('tools/list')).toMatchObject({ tools: [{ _meta: { ui: { visibility: ['app'] } } }] })
  })
})

describe("domain: 'auto'", () => {
  const claude = (url: string) => `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.claudemcpcontent.com`
  test.each<[client: string | undefined, agent: string, target: string, domain: string | undefined]>([
    ['claude-ai', '', '/mcp', claude('https://charts.example.com/mcp')],
    ['claude-ai', '', '/mcp/', claude('https://charts.example.com/mcp/')],
    ['claude-ai', '', '/', claude('https://charts.example.com/')],
    ['claude-ai', '', '/mcp?team=1', claude('https://charts.example.com/mcp?team=1')],
    [undefined, 'Claude-User', '/mcp', claude('https://charts.example.com/mcp')],
    ['openai-mcp', '', '/mcp', 'https://charts.example.com'],
    [undefined, 'openai-mcp/1.0.0', '/mcp', 'https://charts.example.com'],
    ['ms-copilot', '', '/mcp', undefined],
    ['Visual Studio Code', 'node', '/mcp', undefined],
    ['toString', '', '/mcp', undefined],
    [undefined, '', '/mcp', undefined],
  ])('of %s with the user agent "%s" at %s is %s', async (name, agent, target, domain) => {
    const { server } = serverWith({ domain: 'auto' })
    const caller = callerOf(server, {}, name === undefined ? {} : { [MetaKey.clientInfo]: { name, version: '1' } })
    const headers: { [name: string]: string } = { host: 'charts.example.com', 'user-agent': agent }
    const context = { http: { header: (header: string) => headers[header], target } }
    const listed = await caller.result('resources/list', {}, context)
    const { contents } = await caller.result('resources/read', { uri: URI }, context)
    const ui = domain === undefined ? undefined : { ui: { domain } }
    expect((listed.resources as JsonObject[])[0]?._meta).toEqual(ui)
    expect((contents as JsonObject[])[0]?._meta).toEqual(ui)
    expect(listed.cacheScope).toBe('private')
  })

  test('uses the URL that users enter, and no host with a path', async () => {
    const claudeMeta = { [MetaKey.clientInfo]: { name: 'claude-ai', version: '1' } }
    const { server } = serverWith({ domain: 'auto', url: 'https://public.example.com/team/mcp' })
    const { resources } = await callerOf(server, {}, claudeMeta).result('resources/list')
    expect(resources).toMatchObject([{ _meta: { ui: { domain: claude('https://public.example.com/team/mcp') } } }])
    const { server: other } = serverWith({ domain: 'auto' })
    const context = { http: { header: () => 'evil.example.com/x#', target: '/mcp' } }
    const listed = await callerOf(other, {}, claudeMeta).result('resources/list', {}, context)
    expect((listed.resources as JsonObject[])[0]).not.toHaveProperty('_meta')
  })
})

describe('who sees a view', () => {
  test('whoever sees one of its tools', async () => {
    const server = createServer({ name: 'My charts', version: '1' })
    const shared = view({ html: HTML }, { text: true, name: 'draw' })
    server.tool('draw', { view: shared, visible: ({ auth }) => auth !== undefined }, () => 'x')
    const caller = callerOf(server)
    expect((await listAll(caller)).resources).toEqual([])
    expect(await caller.error('resources/read', { uri: URI })).toMatchObject({ message: expect.stringContaining('not found') })
    expect((await caller.result('resources/list', {}, { auth: { principal: 'ada' } })).resources).toHaveLength(1)
    server.tool('copy', { view: shared }, () => 'x')
    expect((await listAll(caller)).resources).toHaveLength(1)
    server.tools.remove('copy')
    expect((await listAll(caller)).resources).toEqual([])
  })

  test('a view that is not listed is read', async () => {
    const { caller } = serverWith({ listed: false })
    expect((await listAll(caller)).resources).toEqual([])
    expect(await read(caller, URI)).toMatchObject({ text: HTML })
  })

  test('views follow the other resources, on the last page', async () => {
    const server = createServer({ name: 'My charts', version: '1' }, { pageSize: 1 })
    server.resource('notes://1', {}, () => '1').resource('notes://2', {}, () => '2')
    server.tool('draw', { view: view({ html: HTML }, { text: true }) }, () => 'x')
    const caller = callerOf(server)
    const first = await caller.result('resources/list')
    const second = await caller.result('resources/list', { cursor: first.nextCursor })
    expect(first.resources).toMatchObject([{ uri: 'notes://1' }])
    expect(second.resources).toMatchObject([{ uri: 'notes://2' }, { uri: URI }])
    expect(second.nextCursor).toBeUndefined()
  })
})

describe('results of tools with a view', () => {
  test.each<[returned: object, text: string]>([
    [{ structuredContent: { bars: [1] }, content: [] }, '{"bars":[1]}'],
    [{ bars: [1] }, '{"bars":[1]}'],
    [{ content: [], isError: true }, 'The tool draw has finished.'],
  ])('%j has the text %s', async (returned, text) => {
    const server = createServer({ name: 'a', version: '1' }, { onEvent: () => {} })
    const output = z.object({ bars: z.array(z.number()) })
    server.tool('draw', { output, view: view({ html: HTML }) }, async () => returned as never)
    expect(await callerOf(server).result('tools/call', { name: 'draw' })).toMatchObject({ content: [{ type: 'text', text }] })
  })

  test('a tool without a view is left alone', async () => {
    const server = createServer({ name: 'a', version: '1' }).tool('nothing', {}, () => {})
    expect(await callerOf(server).result('tools/call', { name: 'nothing' })).toMatchObject({ content: [] })
  })

  test('one that is too large, a page that is, and a missing text are reported once', async () => {
    const { server, events, caller } = serverWith({}, { html: HTML + ' '.repeat(500_001) })
    server.tool('silent', { view: view({ html: HTML }, { text: true }) }, () => {})
    server.tool('large', { view: view({ html: HTML }, { text: true }) }, () => 'x'.repeat(150_001))
    for (const name of ['draw', 'silent', 'silent', 'large', 'large']) await caller.result('tools/call', { name })
    await listAll(caller)
    expect(events.map((event) => event.type === 'warning' && event.message)).toEqual([
      expect.stringContaining('"silent" has a view and returned no content'),
      expect.stringContaining('"large" returned 1500'),
      expect.stringContaining('ui://my-charts/draw.html has 500048 bytes'),
    ])
  })
})

describe('mistakes', () => {
  const output = z.object({ n: z.number() })
  const tool = (definition: object) => () =>
    createServer({ name: 'a', version: '1' }).tool('t', definition as never, () => 'x' as never)
  test.each<[string, () => unknown]>([
    ['view("./nope.html"): ', () => view('/nowhere/nope.html')],
    ['use a file that ends in', () => view('/nowhere/chart.md')],
    ['must start with file:', () => view(new URL('https://example.com/a.html'))],
    ['view({ html:', () => view({ html: '' })],
    ['view({ html:', () => view(undefined as never)],
    ['Use "connectDomains"', () => view({ html: HTML }, { csp: { connect_domains: [] } as never })],
    ['is not an origin', () => view({ html: HTML }, { csp: { connectDomains: ['api.example.com'] } })],
    ['is not an origin', () => view({ html: HTML }, { csp: { resourceDomains: ['https://a.example/x'] } })],
    ['is not an origin', () => view({ html: HTML }, { csp: { frameDomains: ["https://a.example; script-src 'unsafe-eval'"] } })],
    ['is not an origin', () => view({ html: HTML }, { csp: { baseUriDomains: ['*'] } })],
    ['is not one of camera', () => view({ html: HTML }, { permissions: ['usb' as never] })],
    ['Use "border"', () => view({ html: HTML }, { prefersBorder: true } as never)],
    ['more than 64 characters', () => view({ html: HTML }, { chatgpt: { invoking: 'x'.repeat(65) } })],
    ['must be what view(…)', tool({ output, view: './chart.html' })],
    ['no "output" schema', tool({ view: view({ html: HTML }) })],
    ["array of 'model' and 'app'", tool({ visibility: ['user'] })],
    ['Use "view" with view(…)', tool({ resourceUri: 'ui://a' })],
    [
      'Two views have the URI',
      () => {
        const server = createServer({ name: 'a', version: '1' })
        server.tool('a', { output, view: view({ html: '1' }, { name: 'x' }) }, () => ({ n: 1 }))
        server.tool('b', { output, view: view({ html: '2' }, { name: 'x' }) }, () => ({ n: 1 }))
      },
    ],
  ])('%s', (message, run) => {
    expect(run).toThrow(message === 'view("./nope.html"): ' ? '/nowhere/nope.html does not exist' : message)
  })

  test('a changed or replaced tool frees the name of its view', async () => {
    const server = createServer({ name: 'My charts', version: '1' })
    const pageOf = (html: string) => view({ html }, { name: 'draw', text: true })
    const caller = callerOf(server)
    server.tool('draw', { view: pageOf('1') }, () => 'x')
    server.tools.update('draw', { view: pageOf('2') })
    expect(await read(caller, BASE)).toMatchObject({ text: '2' })
    server.tools.remove('draw')
    server.tool('other', { view: pageOf('3') }, () => 'x')
    expect(await read(caller, BASE)).toMatchObject({ text: '3' })
    expect(() => server.tool('draw', { view: pageOf('4') }, () => 'x')).toThrow('Two views have the URI')
    expect(() => server.tool('other', { view: pageOf('5') }, () => 'x')).toThrow('already registered')
    expect(await read(caller, BASE)).toMatchObject({ text: '3' })
    server.tools.update('other', { view: undefined } as never)
    expect(await caller.error('resources/read', { uri: BASE })).toMatchObject({ message: expect.stringContaining('not found') })
    server.tool('draw', { view: pageOf('4') }, () => 'x')
    expect(await read(caller, BASE)).toMatchObject({ text: '4' })
  })

  test.each([
    [{ view: view({ html: HTML }) }, 'no "output" schema'],
    [{ view: './chart.html' }, 'must be what view(…)'],
    [{ visibility: ['user'] }, "array of 'model' and 'app'"],
    [{ visibility: 'app' }, "array of 'model' and 'app'"],
  ])('a tool is changed with the same checks: %j', (patch, message) => {
    const server = createServer({ name: 'a', version: '1' }).tool('t', {}, () => 'x')
    expect(() => server.tools.update('t', patch as never)).toThrow(message)
  })

  test('two calls of view with one file are one view', async () => {
    const path = join(temporaryFolder(), 'chart.html')
    await writeFile(path, HTML)
    const server = createServer({ name: 'a', version: '1' })
    server.tool('a', { output, view: view(path) }, () => ({ n: 1 }))
    server.tool('b', { output, view: view(path) }, () => ({ n: 1 }))
    const { tools, resources } = await listAll(callerOf(server))
    expect(resources).toHaveLength(1)
    expect(tools.map(({ _meta }) => (_meta as JsonObject)['ui/resourceUri'])).toEqual([resources[0]?.uri, resources[0]?.uri])
  })
})
