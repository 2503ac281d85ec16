import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { callerOf } from '../../test-kit/server.ts'
import { codeMode } from '../compose/code/code-mode.ts'
import { toolSearch } from '../compose/search/tool-search.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { isViewUri, mapViewUris } from '../protocol/apps.ts'
import { MetaKey } from '../protocol/meta.ts'
import { LEGACY_VERSIONS, MODERN_VERSIONS } from '../protocol/revisions.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { openPort } from '../testing/pair/http.ts'
import { connectPair } from '../testing/pair/pair.ts'
import { showsViews } from '../views/shows-views.ts'
import { view } from '../views/view.ts'
import type { GatewayOptions } from './api/options.ts'
import { createGateway } from './gateway.ts'
import { mount } from './mount.ts'
import { narrowViews } from './policy/narrow-views.ts'
import { createUriRoutes } from './routes/uris.ts'

const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

/** A server with a tool that shows a view, and the tools that its view calls. */
function chartsServer(name: string): Server {
  const server = createServer({ name: 'charts', version: '1' })
  const chart = view(
    { html: `<p>${name}</p>` },
    {
      name: 'chart',
      text: true,
      domain: 'auto',
      url: `https://${name}.example.com/mcp`,
      csp: { connectDomains: ['https://api.example.com', 'https://api.evil.example'] },
      permissions: ['camera', 'clipboardWrite'],
    },
  )
  server.tool('draw', { view: chart, output: z.object({ by: z.string() }) }, (_, call) => ({ by: `${name} ${showsViews(call)}` }))
  server.tool('refresh', { visibility: ['app'] }, () => `${name} refreshed`)
  server.tool(`only_${name}`, { visibility: ['app'] }, () => `${name} alone`)
  server.tool('think', { visibility: ['model'] }, () => `${name} thought`)
  server.tool('embed', { visibility: ['app'] }, () => [
    { type: 'resource', resource: { uri: 'ui://charts/embedded', text: '<p>' } },
    { type: 'resource_link', uri: 'ui://charts/linked', name: 'linked' },
  ])
  server.resource('ui://unlisted/{part}', { mimeType: 'text/html;profile=mcp-app' }, ({ part }) => `${name} ${part}`)
  return server
}

function openGateway(options: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({
    servers: { one: { target: chartsServer('one') }, two: { target: chartsServer('two') } },
    ...options,
  })
  onTestFinished(() => gateway.close())
  return gateway
}

const callerFor = (gateway: Pick<Server, 'exchange'>, name?: string) =>
  callerOf(gateway as Server, APPS, name === undefined ? {} : { [MetaKey.clientInfo]: { name, version: '1' } })

type Tool = JsonObject & { name: string; _meta: { ui: { resourceUri: string }; 'ui/resourceUri': string } }

async function listAll(caller: ReturnType<typeof callerOf>, context: Partial<ExchangeContext> = {}) {
  const { tools } = (await caller.result('tools/list', {}, context)) as { tools: Tool[] }
  const { resources } = (await caller.result('resources/list', {}, context)) as { resources: (JsonObject & { uri: string })[] }
  return { tools, resources }
}

describe('URIs', () => {
  test('of tools and of resources are the same, and are read', async () => {
    const caller = callerFor(openGateway())
    const { tools, resources } = await listAll(caller)
    const drawn = tools.filter(({ name }) => name.endsWith('draw'))
    expect(resources.map(({ uri }) => uri)).toEqual(drawn.map(({ _meta }) => _meta.ui.resourceUri))
    for (const [at, { name, _meta }] of drawn.entries()) {
      const uri = _meta.ui.resourceUri
      expect(uri).toMatch(/^ui:\/\/(?:one|two)\+\/charts\/chart\.html\?v=[0-9a-f]{12}$/)
      expect(_meta['ui/resourceUri']).toBe(uri)
      const own = name.split('__')[0]
      for (const asked of [uri, uri.replace(/\?.*/, ''), uri.replace(/\?.*/, '?v=000000000000'), uri.replace('ui:', 'UI:')])
        expect(await caller.result('resources/read', { uri: asked })).toMatchObject({
          contents: [{ uri: asked, text: `<p>${own}</p>` }],
        })
      expect(at).toBeLessThan(2)
    }
  })

  test('that no server lists are read', async () => {
    const caller = callerFor(openGateway())
    for (const name of ['one', 'two'])
      expect(await caller.result('resources/read', { uri: `ui://${name}+/unlisted/a?b=c`.replace('?b=c', '') })).toMatchObject({
        contents: [{ text: `${name} a` }],
      })
  })

  test('are restored from what the gateway exposes, through any number of gateways', () => {
    const part = fc.stringMatching(/^[a-z0-9.+~_-]{1,8}$/)
    const uri = fc
      .tuple(part, fc.array(part, { maxLength: 3 }), fc.option(fc.stringMatching(/^[a-z0-9=&+%]{0,8}$/)))
      .map(([authority, path, query]) => `ui://${[authority, ...path].join('/')}${query === null ? '' : `?${query}`}`)
    const names = fc.uniqueArray(fc.oneof(part, fc.string({ minLength: 1, maxLength: 6 })), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(uri, names, names, (original, inner, outer) => {
        const [first, second] = [createUriRoutes(inner), createUriRoutes(outer)]
        for (const server of inner) {
          const marked = first.markView(server, original)
          expect(first.unmark(marked)).toEqual({ server, uri: original })
          const twice = second.markView(outer[0] ?? '', marked)
          expect(isViewUri(twice)).toBe(true)
          expect(first.unmark(second.unmark(twice)?.uri ?? '')).toEqual({ server, uri: original })
          const meta = { ui: { resourceUri: original }, 'ui/resourceUri': original, 'openai/outputTemplate': original }
          const there = mapViewUris(meta, (each) => first.markView(server, each))
          expect(mapViewUris(there, (each) => first.unmark(each)?.uri ?? '')).toEqual(meta)
        }
        expect(new Set(inner.map((server) => first.markView(server, original))).size).toBe(inner.length)
      }),
      { numRuns: 200 },
    )
  })

  test('in results have the mark too', async () => {
    expect(await callerFor(openGateway()).result('tools/call', { name: 'two__embed' })).toMatchObject({
      content: [{ resource: { uri: 'ui://two+/charts/embedded' } }, { uri: 'ui://two+/charts/linked' }],
    })
  })

  test('of a server and of those that are mounted on it', async () => {
    const server = mount(chartsServer('own'), chartsServer('other'), { prefix: 'other' })
    const caller = callerFor(server as unknown as Server)
    const { tools, resources } = await listAll(caller)
    const uris = tools.filter(({ name }) => name.endsWith('draw')).map(({ _meta }) => _meta.ui.resourceUri)
    expect(uris).toEqual([
      expect.stringMatching(/^ui:\/\/charts\/chart/),
      expect.stringMatching(/^ui:\/\/other\+\/charts\/chart/),
    ])
    expect(resources.map(({ uri }) => uri)).toEqual(uris)
    const pages = await Promise.all(uris.map((uri) => caller.result('resources/read', { uri })))
    expect(pages).toMatchObject([{ contents: [{ text: '<p>own</p>' }] }, { contents: [{ text: '<p>other</p>' }] }])
    const old = await Promise.all(uris.map((uri) => caller.result('resources/read', { uri: uri.replace(/v=.*/, 'v=0') })))
    expect(old).toMatchObject([{ contents: [{ text: '<p>own</p>' }] }, { contents: [{ text: '<p>other</p>' }] }])
  })
})

describe.each(['always', 'on-conflict', 'never'] as const)('a view calls tools by their own names, with prefix %s', (mode) => {
  const readViewOf = async (caller: ReturnType<typeof callerOf>, server: string): Promise<string> => {
    const uri = `ui://${server}+/charts/chart.html`
    await caller.result('resources/read', { uri })
    return uri
  }

  test('of its server, if the host says which view it is', async () => {
    const caller = callerFor(openGateway({ names: { mode } }))
    for (const server of ['one', 'two']) {
      const _meta = { 'io.github.portcall/view': `ui://${server}+/charts/chart.html?v=1` }
      const call = (name: string) => caller.request('tools/call', { name, _meta: { ...metaOf(), ..._meta } })
      expect(await call('refresh')).toMatchObject({ result: { content: [{ text: `${server} refreshed` }] } })
      expect(await call(`only_${server}`)).toMatchObject({ result: { content: [{ text: `${server} alone` }] } })
      expect(await call(`only_${server === 'one' ? 'two' : 'one'}`)).toMatchObject({ error: { code: -32602 } })
      expect(await call('think')).toMatchObject({ error: { code: -32602 } })
    }
  })

  test('of the only server that has it, once its view was read', async () => {
    if (mode !== 'always') return
    const caller = callerFor(openGateway({ names: { mode } }))
    expect(await caller.error('tools/call', { name: 'only_two' })).toMatchObject({
      message: expect.stringContaining('two__only_two'),
    })
    await readViewOf(caller, 'one')
    expect(await caller.error('tools/call', { name: 'only_two' })).toMatchObject({ code: -32602 })
    await readViewOf(caller, 'two')
    expect(await caller.result('tools/call', { name: 'only_two' })).toMatchObject({ content: [{ text: 'two alone' }] })
    expect(await caller.error('tools/call', { name: 'refresh' })).toMatchObject({
      message: 'Invalid params: Unknown tool: refresh. Use one__refresh or two__refresh',
      data: { candidates: ['one__refresh', 'two__refresh'] },
    })
    expect(await caller.error('tools/call', { name: 'nothing' })).toMatchObject({ code: -32602 })
  })

  test('what one caller has read is not known of another one', async () => {
    if (mode !== 'always') return
    const gateway = openGateway({ names: { mode } })
    const ada = { auth: { principal: 'ada' } }
    const caller = callerFor(gateway)
    await caller.result('resources/read', { uri: 'ui://two+/charts/chart.html' }, ada)
    expect(await caller.result('tools/call', { name: 'only_two' }, ada)).toMatchObject({ content: [{ text: 'two alone' }] })
    const bob = { auth: { principal: 'bob' } }
    expect(await caller.error('tools/call', { name: 'only_two' }, bob)).toMatchObject({ code: -32602 })
  })
})

const metaOf = (): JsonObject => ({
  [MetaKey.protocolVersion]: MODERN_VERSIONS[0],
  [MetaKey.clientCapabilities]: APPS,
})

describe('short lists', () => {
  const namesIn = async (caller: ReturnType<typeof callerOf>) =>
    ((await caller.result('tools/list')).tools as Tool[]).map(({ name }) => name)

  test.each([
    ['tool search', toolSearch(), ['search_tools', 'describe_tool', 'call_tool']],
    ['code mode', codeMode(), ['run_code']],
  ])('of %s have the tools with views, and those that only views call for hosts of views', async (_kind, middleware, own) => {
    const gateway = openGateway({ middleware: [middleware] })
    expect(await namesIn(callerFor(gateway))).toEqual([
      ...own,
      ...['one__draw', 'one__refresh', 'one__only_one', 'one__embed', 'two__draw', 'two__refresh', 'two__only_two', 'two__embed'],
    ])
    expect(await namesIn(callerOf(gateway as unknown as Server))).toEqual([...own, 'one__draw', 'two__draw'])
    expect(await callerFor(gateway).result('tools/call', { name: 'one__refresh' })).toMatchObject({
      content: [{ text: 'one refreshed' }],
    })
  })

  test('searches, descriptions and indirect calls do not reach tools that only views call', async () => {
    const caller = callerFor(openGateway({ middleware: [toolSearch({ always: ['*'] })] }))
    const call = (name: string, args: JsonObject) => caller.request('tools/call', { name, arguments: args })
    const found = await call('search_tools', { query: 'refresh only draw think', limit: 25 })
    expect(JSON.stringify(found)).toContain('one__think')
    expect(JSON.stringify(found)).not.toMatch(/refresh\b(?! only)|only_one/)
    expect(await call('describe_tool', { name: 'one__refresh' })).toMatchObject({ result: { isError: true } })
    expect(await call('call_tool', { name: 'one__refresh' })).toMatchObject({ error: { code: -32602 } })
    expect(await call('call_tool', { name: 'one__think' })).toMatchObject({ result: { content: [{ text: 'one thought' }] } })
  })

  test('programs of code mode cannot call them', async () => {
    const caller = callerFor(openGateway({ middleware: [codeMode()] }))
    const { tools } = (await caller.result('tools/list')) as { tools: { description: string }[] }
    expect(tools[0]?.description).toContain('one__think')
    expect(tools[0]?.description).not.toContain('refresh')
  })
})

describe('metadata', () => {
  const CLAUDE = `${createHash('sha256').update('https://gateway.example.com/mcp').digest('hex').slice(0, 32)}.claudemcpcontent.com`
  const headers: { [name: string]: string } = { host: 'gateway.example.com' }
  const http = { header: (name: string) => headers[name], target: '/mcp' }

  test.each([
    ['claude-ai', CLAUDE],
    ['openai-mcp', 'https://gateway.example.com'],
    ['other', undefined],
  ])('the domain for %s is that of the gateway', async (name, domain) => {
    for (const options of [{}, { servers: { one: { target: chartsServer('one') } }, names: { mode: 'never' } }] as const) {
      const caller = callerFor(openGateway(options), name)
      const { resources } = await listAll(caller, { http })
      const uri = resources[0]?.uri ?? ''
      const { contents } = (await caller.result('resources/read', { uri }, { http })) as { contents: JsonObject[] }
      const metas = [resources[0], contents[0]].map((item) => item?._meta as { ui: { domain?: string } } | undefined)
      expect(metas.map((meta) => meta?.ui.domain)).toEqual([domain, domain])
    }
  })

  test('a policy narrows origins and permissions, and adds none', async () => {
    const policy = narrowViews({
      connectDomains: ['https://*.example.com', 'https://more.example.org'],
      resourceDomains: ['https://cdn.example.com'],
      permissions: ['camera', 'microphone'],
    })
    const caller = callerFor(openGateway({ policy }))
    const { resources } = await listAll(caller)
    const { contents } = (await caller.result('resources/read', { uri: resources[0]?.uri })) as { contents: JsonObject[] }
    for (const item of [resources[0], contents[0]])
      expect(item?._meta).toMatchObject({
        ui: { csp: { connectDomains: ['https://api.example.com'] }, permissions: { camera: {} } },
      })
    expect(contents[0]?._meta).toEqual({
      ui: { csp: { connectDomains: ['https://api.example.com'] }, permissions: { camera: {} } },
    })
    expect(() => narrowViews({ connectDomains: ['*'] })).toThrow('no origin')
    expect(() => narrowViews({ frameDomains: ['http://[::1]:3000'] })).toThrow('A CSP cannot name IPv6 addresses')
    expect(() => narrowViews({ frameDomains: ['https://bücher.example'] })).toThrow('Use https://xn--bcher-kva.example')
    expect(() => narrowViews({ frameDomains: ['https://a.example/b'] })).toThrow('without a path: https://a.example')
    expect(() => openGateway({ policy: narrowViews({ servers: ['gone'], frameDomains: [] }) })).toThrow(
      'a policy is for the server "gone", which does not exist. The servers are one, two',
    )
    expect(() => openGateway().setPolicy(narrowViews({ servers: ['gone'] }))).toThrow('"gone"')
    expect(() => narrowViews({ permissions: ['usb' as never] })).toThrow('not one of camera')
  })
})

describe('a policy narrows views in results', () => {
  const csp = { connectDomains: ['https://api.example.com', 'https://evil.example'] }
  const openai = { connect_domains: csp.connectDomains, redirect_domains: ['https://evil.example', 'https://docs.example.com'] }
  const _meta = { ui: { csp }, 'openai/widgetCSP': openai }
  const embedded = { type: 'resource', resource: { uri: 'ui://charts/a', mimeType: 'text/html', text: '<p>', _meta } }
  const link = { type: 'resource_link', uri: 'ui://charts/a', name: 'a', _meta }
  const server = createServer({ name: 'charts', version: '1' })
    .tool('embed', {}, () => ({ content: [embedded, link, { type: 'text', text: 'kept' }] as never, _meta }))
    .prompt('ask', {}, () => ({ messages: [{ role: 'user', content: embedded as never }] }))

  test.each([
    ['tools/call', { name: 'embed' }, 3],
    ['prompts/get', { name: 'ask' }, 1],
  ])('of %s', async (method, params, count) => {
    const options = { connectDomains: ['https://*.example.com'], redirectDomains: ['https://docs.example.com'] }
    const exposed = { name: `charts__${params.name}` }
    const narrowed = await callerFor(openGateway({ servers: { charts: server }, policy: narrowViews(options) })).result(
      method,
      exposed,
    )
    const text = JSON.stringify(narrowed)
    expect(text).not.toContain('evil')
    expect(text.match(/"connectDomains":\["https:\/\/api.example.com"\]/g)).toHaveLength(count)
    expect(text.match(/"redirect_domains":\["https:\/\/docs.example.com"\]/g)).toHaveLength(count)
    const other = narrowViews({ servers: ['other'], connectDomains: [] })
    const servers = { charts: server, other: createServer({ name: 'other', version: '1' }) }
    const kept = await callerFor(openGateway({ servers, policy: other })).result(method, exposed)
    expect(JSON.stringify(kept).match(/evil/g)).toHaveLength(count * 3)
  })
})

const VERSIONS = [...LEGACY_VERSIONS, ...MODERN_VERSIONS]
const PAIRS = [
  ...VERSIONS.map((client) => [client, VERSIONS.at(-1) ?? ''] as const),
  ...VERSIONS.map((client) => [client, '2025-11-25'] as const),
]

describe.each(PAIRS)('a client of %s and servers of %s', (protocolVersion, upstreamVersion) => {
  test.each([
    [APPS, true],
    [{ extensions: { 'io.modelcontextprotocol/apps': { mimeTypes: ['text/html;profile=mcp-app'] } } }, true],
    [{ extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/plain'] } } }, false],
    [{}, false],
  ])('that declares %j shows views: %s', async (capabilities, expected) => {
    const servers = Object.fromEntries(
      ['one', 'two'].map((name) => [name, { target: chartsServer(name), protocolVersion: upstreamVersion }]),
    )
    const gateway = openGateway(upstreamVersion === VERSIONS.at(-1) ? {} : { servers: await legacyTargets(servers) })
    await using client = await connectPair(gateway as never, { protocolVersion, capabilities })
    const result = await client.callTool('one__draw')
    expect(JSON.stringify(result.content)).toContain(`one ${expected}`)
    if (expected) expect(result.structuredContent).toEqual({ by: `one ${expected}` })
  })
})

/** Serves the servers over HTTP, in an older revision. */
async function legacyTargets(servers: {
  [name: string]: { target: Server; protocolVersion: string }
}): Promise<GatewayOptions['servers']> {
  const entries = Object.entries(servers).map(async ([name, { target, protocolVersion }]) => {
    const port = await openPort(target)
    onTestFinished(() => port.close())
    return [name, { target: port.target, protocolVersion }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
