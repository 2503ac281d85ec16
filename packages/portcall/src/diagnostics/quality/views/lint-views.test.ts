import { expect, test } from 'vitest'
import type { CallToolResult } from '../../../protocol/types.ts'
import { claudeDomain } from '../../../protocol/view-domain.ts'
import { compareSnapshots } from '../../compare/compare-snapshots.ts'
import { createSnapshot } from '../../compare/snapshot.ts'
import type { ServerInventory } from '../inventory.ts'
import { lint } from '../lint.ts'
import type { LintOptions } from './lint-views.ts'
import type { ReadView } from './read-views.ts'

const URI = 'ui://charts/sales.html'
const TYPE = 'text/html;profile=mcp-app'
const HANDSHAKE = `
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  send({ id: 1, method: 'ui/initialize', params: { appInfo: { name: 'x', version: '1' }, appCapabilities: {} } })
  onmessage = () => {
    send({ method: 'ui/notifications/initialized' })
    send({ method: 'ui/notifications/size-changed', params: { height: document.body.offsetHeight } })
  }`

/** A page that does what hosts require, and something more. */
const page = (more = '', script = ''): string =>
  `<!doctype html><title>Sales</title><p>Sales</p>${more}<script type="module">${HANDSHAKE}\n${script}</script>`

interface Given {
  readonly html?: string
  readonly meta?: object
  readonly listed?: object
  readonly tool?: object
  readonly mimeType?: string
  readonly read?: Partial<ReadView>
}

function serverWith({
  html = page(),
  meta,
  listed,
  tool = { ui: { resourceUri: URI } },
  mimeType = TYPE,
  read,
}: Given): ServerInventory {
  const _meta = meta as never
  return {
    discovered: { supportedVersions: [], capabilities: {}, ttlMs: 0, cacheScope: 'private' },
    tools: [{ name: 'sales', inputSchema: { type: 'object' }, _meta: tool as never }],
    resources: [{ uri: URI, name: 'sales', mimeType: TYPE, ...(listed && { _meta: listed as never }) }],
    templates: [],
    prompts: [],
    views: [
      { uri: URI, sha256: String(html.length), contents: { uri: URI, mimeType, text: html, ...(meta && { _meta }) }, ...read },
    ],
  }
}

async function faultsOf(given: Given, options: LintOptions = {}): Promise<string[]> {
  const { findings } = await lint(serverWith(given), options)
  return findings.filter(({ rule }) => rule.startsWith('view-')).map(({ level, rule, message }) => `${level} ${rule}: ${message}`)
}

test('a page that does what hosts require has no faults', async () => {
  expect(await faultsOf({})).toEqual([])
})

const API = 'https://api.example.com'
const uses = (script: string, meta?: object): Given => ({ html: page('', script), ...(meta && { meta }) })
const csp = (lists: object): object => ({ ui: { csp: lists } })

test.each<[string, Given, string | RegExp]>([
  [
    'no handshake',
    { html: '<p>Sales</p><script>addEventListener("message", () => {})</script>' },
    'error view-handshake: the page never sends ui/initialize',
  ],
  ['no script', { html: '<p>Sales</p>' }, 'error view-handshake: the page has no script'],
  [
    'a handshake in a comment',
    { html: '<!-- <script>"ui/initialize"</script> --><script>// "ui/initialize"\n</script>' },
    'error view-handshake',
  ],
  [
    'half a handshake',
    { html: page().replace('ui/notifications/initialized', 'notifications/initialized') },
    /error view-handshake: the page sends ui\/initialize, but never .* \(notifications\/initialized is the one of MCP itself\)/,
  ],
  [
    'clientInfo',
    { html: page().replace('appInfo', 'clientInfo') },
    'error view-handshake: the page sends ui/initialize without appInfo',
  ],
  [
    'window.openai only',
    { html: '<script>show(window.openai.toolOutput)</script>' },
    'error view-handshake: the page uses only window.openai',
  ],
  [
    'the former protocol',
    { html: '<script>parent.postMessage({ type: "ui-lifecycle-iframe-ready" }, "*")</script>' },
    'error view-handshake: the page speaks a protocol from before',
  ],
  [
    'an undeclared request',
    uses(`fetch("${API}/x")`),
    `error view-origin: fetch uses ${API}, which ui.csp.connectDomains does not have`,
  ],
  [
    'an undeclared socket',
    uses('new WebSocket(`wss://live.example.com/${id}`)', csp({ connectDomains: ['https://live.example.com'] })),
    'error view-origin: WebSocket uses wss://live.example.com',
  ],
  [
    'an undeclared frame',
    uses('const box = document.createElement("iframe")\nbox.src = "https://maps.example.com/x"'),
    'error view-origin: <iframe> uses https://maps.example.com, which ui.csp.frameDomains does not have',
  ],
  ['an undeclared constant', uses(`const API_URL = "${API}"\nfetch(\`\${API_URL}/x\`)`), 'error view-origin: fetch'],
  [
    'an undeclared script',
    { html: page('<script src="https://cdn.example.com/a.js"></script>') },
    'error view-origin: <script> uses https://cdn.example.com',
  ],
  [
    'an undeclared style',
    { html: page('<style>@import "https://fonts.example.com/a.css";</style>') },
    'error view-origin: a style uses https://fonts.example.com',
  ],
  [
    'an undeclared image',
    { html: page('<IMG SRC=//img.example.com/a.png>') },
    'error view-origin: <img> uses https://img.example.com',
  ],
  [
    'an undeclared frame',
    { html: page('<iframe src="https://example.com/"></iframe>') },
    'error view-origin: <iframe> uses https://example.com, which ui.csp.frameDomains',
  ],
  [
    'an undeclared base',
    { html: page('<base href="https://example.ai/">') },
    'error view-origin: <base> uses https://example.ai, which ui.csp.baseUriDomains',
  ],
  [
    'another list',
    uses(`fetch("${API}/x")`, csp({ resourceDomains: [API] })),
    'hosts block it (ui.csp has it only in resourceDomains)',
  ],
  [
    'the key of ChatGPT only',
    uses(`fetch("${API}/x")`, { 'openai/widgetCSP': { connect_domains: [API] } }),
    '(only openai/widgetCSP has it, which other hosts do not read)',
  ],
  [
    'a wrong key',
    uses(`fetch("${API}/x")`, csp({ connect_domains: [API] })),
    'error view-csp-key: ui.csp has the key connect_domains, which hosts ignore; the key is connectDomains',
  ],
  [
    'a wrong key for ChatGPT',
    { meta: { 'openai/widgetCSP': { connectDomains: [API] } } },
    'error view-csp-key: openai/widgetCSP has the key connectDomains, which hosts ignore; the key is connect_domains',
  ],
  [
    'a bare host',
    uses(`fetch("${API}/x")`, csp({ connectDomains: ['api.example.com'] })),
    'error view-csp-source: ui.csp.connectDomains: "api.example.com" has no scheme',
  ],
  ['a path', { meta: csp({ connectDomains: [`${API}/v1`] }) }, '"https://api.example.com/v1" has a path'],
  ['a slash', { meta: csp({ connectDomains: [`${API}/`] }) }, '"https://api.example.com/" has a path'],
  [
    'localhost',
    { meta: csp({ connectDomains: ['http://localhost:3000'] }) },
    '"http://localhost:3000" is the machine of the user',
  ],
  ['any origin', { meta: csp({ resourceDomains: ['*'] }) }, '"*" has a wildcard'],
  [
    'a policy of the tool',
    { tool: { ui: { resourceUri: URI, csp: { connectDomains: [API] } } }, html: page('', `fetch("${API}")`) },
    'error view-csp-place: the tool sales has ui.csp, which hosts read only from the resource',
  ],
  [
    'a policy in the list only',
    { listed: csp({ connectDomains: [API] }) },
    'error view-csp-place: only the entry in resources/list has ui.csp',
  ],
  [
    'a domain of another host',
    { meta: { ui: { domain: 'https://ai.example.net' } } },
    'error view-domain: ui.domain is https://ai.example.net, but Claude',
  ],
  ['eval', uses('eval("1 + 1")'), 'error view-eval: the page uses eval()'],
  ['indirect eval', uses('(0, eval)(code)'), 'error view-eval: the page uses eval()'],
  ['new Function', uses('new Function("a", "return a")'), 'error view-eval: the page uses new Function()'],
  ['WebAssembly', uses('WebAssembly.instantiate(bytes)'), 'error view-eval: the page uses WebAssembly'],
  ['a timer with text', uses('setTimeout("tick()", 10)'), 'error view-eval: the page uses a timer'],
  [
    'the height of the frame',
    { html: page('<style>main { color: red } @media screen { body { min-height: 100vh } }</style>') },
    'warning view-height: min-height: 100vh follows',
  ],
  [
    'the height of the frame in a script',
    uses('h("main", { style: { minHeight: "100dvh" } })'),
    'warning view-height: minHeight: 100dvh follows',
  ],
  [
    'no height',
    { html: page('<style>html, body { height: 0; margin: 0 }</style>') },
    'warning view-height: the page has no height: html, body',
  ],
  [
    'an unreported height',
    { html: page().replace('size-changed', 'other') },
    'warning view-height: the page never sends ui/notifications/size-changed',
  ],
  ['another type', { mimeType: 'text/html' }, 'error view-type: the page has the type "text/html" instead of'],
  ['a former type', { mimeType: 'text/html+skybridge' }, 'error view-type'],
  [
    'a relative script',
    { html: page('<script type="module" src="/assets/index-1f3a.js"></script>') },
    'error view-file: relative addresses have no meaning in a view: /assets/index-1f3a.js (<script>)',
  ],
  [
    'a relative request',
    uses('fetch("/api/sales")'),
    'error view-file: relative addresses have no meaning in a view: /api/sales (fetch)',
  ],
  [
    'a relative style',
    { html: page('<link rel="stylesheet" href="a.css"><style>a { background: url(b.png) }</style>') },
    'a.css (<link rel="stylesheet">), b.png (a style)',
  ],
  ['a package', uses('import React from "react"'), 'error view-file: browsers do not know packages by name: import react'],
  [
    'the development client',
    { html: page('<script type="module" src="/@vite/client"></script>') },
    'error view-dev-client: the page contains the client of a development server (/@vite/client)',
  ],
  [
    'localhost in the page',
    uses('fetch("http://localhost:5173/api")'),
    'error view-dev-client: the page contains the address http://localhost:5173/api',
  ],
  ['a large page', { html: page('x'.repeat(500_000)) }, 'warning view-size'],
  ['no page', { html: '' }, 'error view-missing: the view, which the tool sales names, is empty'],
  [
    'an unknown page',
    { read: { contents: undefined as never, error: new Error('Resource not found') } },
    'error view-missing: the view, which the tool sales names, cannot be read: Resource not found',
  ],
  [
    'nobody',
    { tool: { ui: { resourceUri: URI, visibility: ['user'] } } },
    'error view-hidden: its visibility names neither model nor app',
  ],
  ['only the view', { tool: { ui: { resourceUri: URI, visibility: ['app'] } } }, 'warning view-hidden: only views may call it'],
  [
    'the key of ChatGPT',
    { tool: { 'openai/outputTemplate': URI } },
    'warning view-key: only openai/outputTemplate names its view',
  ],
  ['another scheme', { tool: { ui: { resourceUri: 'https://example.com/view.html' } } }, 'error view-uri'],
])('%s has a name', async (_, given, expected) => {
  const found = await faultsOf(given)
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(expected instanceof RegExp ? expected : new RegExp(expected.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')))
})

test.each<[string, Given]>([
  [
    'declared origins',
    uses(
      `fetch("${API}/x"); new WebSocket("wss://a.live.example.com:444/")`,
      csp({ connectDomains: [API, 'wss://*.live.example.com:444'] }),
    ),
  ],
  [
    'addresses that are only texts',
    uses('const NS = "http://www.w3.org/2000/svg"; show(`https://${host}/x`, "https://react.dev/errors/1")'),
  ],
  ['links', { html: page('<a href="https://example.com">Example</a><link rel="icon" href="a.png">') }],
  ['data', { html: page('<img src="data:image/png;base64,AA"><style>a { background: url(#b) }</style>') }],
  [
    'names of packages in an import map',
    {
      html: page('<script type="importmap">{"imports":{"vue":"https://esm.example.com/vue"}}</script>', 'import "vue"'),
      meta: csp({ resourceDomains: ['https://esm.example.com'] }),
    },
  ],
  [
    'code of others',
    {
      html: '<script type="module">import { App } from "https://esm.example.com/ext-apps"</script>',
      meta: csp({ resourceDomains: ['https://esm.example.com'] }),
    },
  ],
  [
    'a declared base',
    {
      html: page('<base href="https://example.ai/"><img src="a.png">'),
      meta: csp({ baseUriDomains: ['https://example.ai'], resourceDomains: ['https://example.ai'] }),
    },
  ],
  [
    'methods and comments with the names',
    uses('math.eval("1"); class A { eval(a, b) { } } /* eval("1") */ const b = "eval(1)"; Function("return this")()'),
  ],
  ['a height of a part', { html: page('<style>img { max-height: 100vh; line-height: 0 } /* body { height: 0 } */</style>') }],
  ['any spelling of the type', { mimeType: 'text/html; profile="mcp-app"' }],
])('%s are no faults', async (_, given) => {
  expect(await faultsOf(given)).toEqual([])
})

test('the domain of Claude is that of the URL, to the letter', async () => {
  const url = 'https://mcp.example.com/mcp'
  const given = { meta: { ui: { domain: await claudeDomain(url) } } }
  expect(await faultsOf(given, { url })).toEqual([])
  expect(await faultsOf(given)).toEqual([])
  expect(await faultsOf(given, { url: 'http://127.0.0.1:3000/mcp' })).toEqual([])
  expect(await faultsOf(given, { url: `${url}/` })).toEqual([
    expect.stringMatching(/^error view-domain: .* but for https:\/\/mcp.example.com\/mcp\/ Claude expects [0-9a-f]{32}\./),
  ])
})

test('a page that has changed needs another URI', async () => {
  const since = createSnapshot(serverWith({ html: page('<p>before</p>') }))
  expect(await faultsOf({ html: page('<p>before</p>') }, { since })).toEqual([])
  expect(await faultsOf({ html: page('<p>now</p>') }, { since })).toEqual([
    expect.stringContaining('error view-same-uri: the page has changed'),
  ])
  const rows = compareSnapshots(since, createSnapshot(serverWith({})))
  expect(rows).toMatchObject([{ where: `view ${URI}`, change: 'changed', breaking: true }])
  expect(compareSnapshots(since, since)).toEqual([])
})

test('results that leave a view or a reader without content have a name', async () => {
  const resultOf = (text: string): LintOptions => ({
    results: { sales: { content: [{ type: 'text', text }] } as CallToolResult },
  })
  expect(await faultsOf({}, resultOf('Sales'))).toEqual([])
  expect(await faultsOf({}, resultOf('x'.repeat(150_000)))).toEqual([
    expect.stringContaining('error view-result-size: the result has 1500'),
  ])
  expect(await faultsOf({}, resultOf(' '))).toEqual([expect.stringContaining('warning view-text: the result has no text')])
})

test('origins that only the standard key names have a note about ChatGPT', async () => {
  const noteOf = async (given: Given) => (await lint(serverWith(given))).notes.find(({ rule }) => rule === 'view-openai-csp')
  const lists = csp({ connectDomains: [API] })
  expect(await noteOf({ meta: lists })).toMatchObject({ hosts: ['ChatGPT'], tools: ['sales'] })
  expect(await noteOf({ meta: { ...lists, 'openai/widgetCSP': { connect_domains: [API] } } })).toBeUndefined()
  expect(await noteOf({})).toBeUndefined()
})

test('every finding says what to change', async () => {
  const { findings } = await lint(
    serverWith({ html: '<p>Sales</p>', mimeType: 'text/html', meta: { ui: { domain: 'x', csp: { connect_domains: ['*'] } } } }),
  )
  for (const { rule, advice } of findings) expect(advice, rule).not.toBe('Correct it.')
})
