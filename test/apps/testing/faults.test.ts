/** `portcall apps test` with the faults that leave frames empty, on a server that was written by hand. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { createServer } from 'portcall'
import { type ListeningServer, serve } from 'portcall/node'
import { afterEach, expect, test } from 'vitest'

const CLI = fileURLToPath(new URL('../../../packages/portcall/dist/cli/main.js', import.meta.url))
const CWD = fileURLToPath(new URL('..', import.meta.url))
const uriOf = (tool: string): string => `ui://charts/${tool}.html`
const CONNECT = `const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
onmessage = ({ data }) => {
  if (data.id !== 1) return
  send({ method: 'ui/notifications/initialized' })
  send({ method: 'ui/notifications/size-changed', params: { height: document.documentElement.getBoundingClientRect().height } })
}
send({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'sales', version: '1.0.0' }, appCapabilities: {} } })`
const HEAD = '<!doctype html><html lang="en"><head><title>Sales</title></head><body>'
const pageOf = (code = '', markup = '<p>12 sales</p>'): string =>
  `${HEAD}${markup}<script>${CONNECT}\n${code}</script></body></html>`

let listening: ListeningServer | undefined
afterEach(() => listening?.close())

interface Served {
  readonly html: string
  readonly meta?: object
  readonly type?: string
  readonly result?: string
}

/** Serves tools, each with a view. */
async function serveViews(tools: { readonly [tool: string]: Served }): Promise<string> {
  await listening?.close()
  const server = createServer({ name: 'charts', version: '1.0.0' })
  for (const [tool, { html, meta, type = 'text/html;profile=mcp-app', result = '12 sales' }] of Object.entries(tools)) {
    const uri = uriOf(tool)
    server.tool(tool, { description: 'Sales', _meta: { ui: { resourceUri: uri } } }, () => result)
    const content = { uri, mimeType: type, text: html, ...(meta && { _meta: { ui: meta } }) }
    server.resource(uri, { mimeType: type, title: 'Sales' }, () => ({ contents: [content] }) as never)
  }
  listening = await serve(server, { port: 0, handleProcessSignals: false })
  return listening.url
}
const serveView = (sales: Served): Promise<string> => serveViews({ sales })

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function portcall(args: readonly string[], cwd = CWD): Promise<Outcome> {
  const child = spawn(execPath, [CLI, ...args], { cwd, env: { ...process.env, NO_COLOR: '1' } })
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() })),
  )
}

interface Report {
  readonly views: {
    readonly tool: string
    readonly title: string
    readonly findings: { rule: string; level: string; advice: string }[]
  }[]
  readonly findings: { readonly rule: string; readonly level: string; readonly where: string }[]
}

/** Tests the views of a server in one host. */
async function testViews(url: string, ...more: string[]): Promise<{ report: Report; code: number | null }> {
  const { code, out, err } = await portcall(['apps', 'test', url, '--profile', 'vscode', '--width', '494', '--json', ...more])
  expect(err).toBe('')
  return { report: JSON.parse(out) as Report, code }
}

/** Returns the rules of the errors of one tool, with its view. */
function errorsOf({ views, findings }: Report, tool: string): string[] {
  const own = views.filter((view) => view.tool === tool).flatMap((view) => view.findings)
  const uri = uriOf(tool)
  const all = [...own, ...findings.filter(({ where }) => where === `tool ${tool}` || where === `resource ${uri}`)]
  return [...new Set(all.filter(({ level }) => level === 'error').map(({ rule }) => rule))]
}

test('a page that works passes, in each host and 320 px wide', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-apps-'))
  const junit = join(folder, 'results.xml')
  const url = await serveView({ html: pageOf() })
  const { code, out } = await portcall(['apps', 'test', url, '--strict', '--text', '12 sales', '--junit', junit])
  expect(out).toMatch(/✓ ChatGPT .*connected in \d+ ms, painted in \d+ ms, 768 × \d+ px/)
  expect(out).toMatch(/✓ Claude /)
  expect(out).toMatch(/✓ ChatGPT, 320 px /)
  expect(out).toMatch(/0 errors, 0 warnings in 4 views, shown by Chromium/)
  expect(code).toBe(0)
  expect(await readFile(junit, 'utf8')).toMatch(/<testsuite name="sales" tests="4" failures="0">/)
})

const CASES: readonly (readonly [name: string, rule: string, served: Served])[] = [
  ['no handshake', 'view-handshake', { html: `${HEAD}<p>Sales</p><script>window.a = 1</script>` }],
  ['an origin that is not declared', 'view-origin', { html: pageOf('fetch("https://api.example.com/sales").catch(() => {})') }],
  [
    'an origin under a wrong key',
    'view-csp-key',
    { html: pageOf(), meta: { csp: { connect_domains: ['https://api.example.com'] } } },
  ],
  ['an origin without a scheme', 'view-csp-source', { html: pageOf(), meta: { csp: { connectDomains: ['api.example.com'] } } }],
  ['the domain of another host', 'view-domain', { html: pageOf(), meta: { domain: 'https://charts.example.com' } }],
  ['code that is generated', 'view-eval', { html: pageOf('document.title = new Function("return 1")()') }],
  ['a page without a height', 'view-height', { html: pageOf('', '<style>html{height:0}</style><p>12 sales</p>') }],
  ['a type without the profile', 'view-type', { html: pageOf(), type: 'text/html' }],
  ['a relative address', 'view-file', { html: pageOf('', '<p>12 sales</p><script src="./main.js"></script>') }],
  [
    'the client of a development server',
    'view-dev-client',
    { html: pageOf('', '<p>12 sales</p><script type="module" src="http://localhost:5173/@vite/client"></script>') },
  ],
  [
    'another page in its frame',
    'view-navigation',
    { html: pageOf('setTimeout(() => location.assign("https://example.com/more"), 50)') },
  ],
  ['a result that is too large', 'view-result-size', { html: pageOf(), result: 'x'.repeat(150_001) }],
  ['an error in the console', 'view-console', { html: pageOf('console.error("no data")') }],
  ['nothing to see', 'view-empty', { html: pageOf('', '<div style="height:40px"></div>') }],
  ['content that is too wide', 'view-overflow', { html: pageOf('', '<p style="width:900px">12 sales</p>') }],
  [
    'a picture without a text',
    'view-axe',
    { html: pageOf('', '<p>12 sales</p><img width=9 height=9 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">') },
  ],
]

test('each fault has its name, the line to add, and no other name', async () => {
  const tools = CASES.map(([name, rule, served]) => [name.replaceAll(' ', '_'), rule, served] as const)
  const tried = { html: pageOf('try { new Function("") } catch {}') }
  const url = await serveViews({ ...Object.fromEntries(tools.map(([name, , served]) => [name, served])), tried })
  const { report, code } = await testViews(url)
  expect(code).toBe(1)
  const found = tools.map(([name]) => [name, errorsOf(report, name)])
  // The exception that a fault leads to is an error of its own.
  expect(found.map(([name, rules]) => [name, (rules as string[]).slice(0, 1)])).toEqual(
    tools.map(([name, rule]) => [name, [rule]]),
  )
  for (const [name, rules] of found)
    expect([name, (rules as string[]).slice(1).filter((rule) => rule !== 'view-console')]).toEqual([name, []])
  const undeclared = report.views.find(({ tool }) => tool === 'an_origin_that_is_not_declared')
  expect(undeclared?.findings[0]?.advice).toContain("Add connectDomains: ['https://api.example.com'] to the csp")
  // Libraries try whether they may generate code, and do without.
  expect(report.views.find(({ tool }) => tool === 'tried')?.findings).toMatchObject([{ rule: 'view-eval', level: 'warning' }])
})

test('a view whose scripts do not end is named, and the command ends', async () => {
  const soon = { html: pageOf('setTimeout(() => { for (;;); }, 300)') }
  // The checks within the view begin when axe is added.
  const later = { html: pageOf('Object.defineProperty(window, "axe", { set() { for (;;); } })') }
  const { report, code } = await testViews(await serveViews({ soon, later }))
  expect(code).toBe(1)
  for (const tool of ['soon', 'later']) expect([tool, errorsOf(report, tool)]).toEqual([tool, ['view-stuck']])
})

test('only the view of the tool that is named is tested', async () => {
  const url = await serveViews({ good: { html: pageOf() }, bad: { html: pageOf('console.error("no data")') } })
  const all = await testViews(url)
  expect(new Set(all.report.views.map(({ tool }) => tool))).toEqual(new Set(['good', 'bad']))
  expect(all.code).toBe(1)
  const one = await testViews(url, '--tool', 'good')
  expect(new Set(one.report.views.map(({ tool }) => tool))).toEqual(new Set(['good']))
  expect(one.code).toBe(0)
})

test('a page that has changed under the same URI has its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-apps-'))
  const published = join(folder, 'released.json')
  expect(await portcall(['snapshot', await serveView({ html: pageOf() }), '--out', published])).toMatchObject({ code: 0 })
  const { report } = await testViews(await serveView({ html: pageOf('', '<p>13 sales</p>') }), '--since', published)
  expect(errorsOf(report, 'sales')).toEqual(['view-same-uri'])
})

test('pictures are compared with the last ones', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-apps-'))
  const run = async (html: string, ...more: string[]): Promise<Outcome> =>
    portcall(['apps', 'screenshot', await serveView({ html }), '--out', folder, '--profile', 'claude', '--width', '400', ...more])
  const first = await run(pageOf('document.querySelector("p").textContent += " on " + new Date().toDateString() + Math.random()'))
  expect(first.out).toContain('sales-claude-light-400.png')
  expect(first.out).toContain('sales-claude-dark-400.png')
  expect(first).toMatchObject({ code: 0 })
  const picture = await readFile(join(folder, 'sales-claude-light-400.png'))
  expect(picture.readUInt32BE(16)).toBe(800)
  const second = await run(
    pageOf('document.querySelector("p").textContent += " on " + new Date().toDateString() + Math.random()'),
  )
  expect(second.out.match(/^same /gm)).toHaveLength(2)
  const third = await run(pageOf('', '<h1>13 sales</h1>'))
  expect(third.out).toMatch(/^differs {2}.*sales-claude-light-400\.png: /m)
  expect(third.code).toBe(1)
  const actual = join(folder, 'sales-claude-light-400.actual.png')
  expect(third.out).toMatch(/^differs {2}.*sales-claude-light-400\.png: .*, see .*sales-claude-light-400\.actual\.png$/m)
  expect((await readFile(actual)).equals(picture)).toBe(false)
  expect(await readFile(join(folder, 'sales-claude-light-400.png'))).toEqual(picture)
  const fourth = await run(pageOf('', '<h1>13 sales</h1>'), '--update')
  expect(fourth.out).toMatch(/^updated /m)
  expect(fourth.code).toBe(0)
  expect(existsSync(actual)).toBe(false)
  expect((await readFile(join(folder, 'sales-claude-light-400.png'))).equals(picture)).toBe(false)
})

test('mistakes on the command line have a reason', async () => {
  const url = await serveView({ html: pageOf() })
  const failing: readonly (readonly [args: readonly string[], message: string])[] = [
    [['apps', 'look', url], 'unknown action: look (available: test, screenshot'],
    [['apps', 'test', url, '--profile', 'chatgtp'], 'unknown profile: chatgtp (did you mean chatgpt?)'],
    [['apps', 'test', url, '--tool', 'sale'], 'unknown tool with a view: sale (did you mean sales?)'],
    [['apps', 'test', url, '--args', '{}'], '--args needs --tool'],
    [['apps', 'test', url, '--tool', 'sales', '--args', '7'], '--args must be a JSON object'],
    [['apps', 'test', url, '--width', 'wide'], '--width must be a number from 100 to 4000'],
    [['apps', 'test', url, '--browser', '/nowhere'], 'There is no browser at /nowhere'],
    [['apps'], 'apps needs an action'],
  ]
  for (const [args, message] of failing) {
    const { code, err } = await portcall(args)
    expect(err).toContain(message)
    expect(code).toBe(2)
  }
})

test('without Playwright, the error says how to install it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-apps-'))
  await writeFile(join(folder, 'package.json'), '{}')
  const { code, err } = await portcall(['apps', 'test', await serveView({ html: pageOf() })], folder)
  expect(err).toContain('Run npm install --save-dev playwright-core')
  expect(code).toBe(2)
})
