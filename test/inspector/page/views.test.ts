/** Views of tools (MCP Apps), shown beside their form. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { view } from 'portcall/apps/server'
import { type ListeningServer, serve } from 'portcall/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { server as sales } from '../../../examples/apps/sales.ts'
import { openPage, type RunningInspector, startBrowser, startInspector, type WatchedPage } from './support/inspector.ts'

/** A view that uses every function of its host, and breaks its policy. */
const PROBE = `<!doctype html><html lang="en"><title>Probe</title><p>probe</p><script>
let id = 0
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const ask = (method, params) => post({ id: ++id, method, params })
addEventListener('message', ({ data }) => {
  if (data.id === 1) {
    post({ method: 'ui/notifications/initialized', params: {} })
    ask('ui/open-link', { url: 'https://example.com/a' })
    ask('ui/message', { role: 'user', content: [{ type: 'text', text: 'hello <b>host</b>' }] })
    ask('ui/update-model-context', { content: [{ type: 'text', text: 'the selection' }] })
    ask('ui/request-display-mode', { mode: 'fullscreen' })
    ask('ui/open-link', { url: 'javascript:alert(1)' })
    ask('tools/call', { name: 'count', arguments: {} })
    fetch('https://blocked.example/data').catch(() => {})
    try { document.title = top.document.title } catch { post({ method: 'ui/notifications/size-changed', params: { height: 123 } }) }
  }
  if (data.method === 'ui/notifications/tool-result') document.querySelector('p').textContent = data.params.content[0].text
  if (data.method === 'ui/notifications/host-context-changed') document.body.dataset.theme = data.params.theme ?? document.body.dataset.theme
  if (data.method === 'ui/resource-teardown') post({ id: data.id, result: {} })
})
ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'probe', version: '1' }, appCapabilities: {} })
</script></html>`

/** The proxy page, what the policy of the probe blocks, and what Chromium says of each view with an origin. */
const OF_VIEWS =
  /^request: http:\/\/(?:proxy|[\da-f]{32}-[\da-f]{24})\.localhost:|blocked\.example|both allow-scripts and allow-same-origin/

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TIMEOUT_MS = 20_000
let counted = 0
const probes = createServer({ name: 'probes', version: '1.0.0' })
probes.tool('probe', { view: view({ html: PROBE }, { text: true, permissions: ['camera'] }) }, () => 'the result')
probes.tool('count', { visibility: ['app'] } as never, () => `counted ${++counted}`)

/** A view that calls a tool again as soon as it has the result. */
const POLL = `<!doctype html><html lang="en"><title>Poll</title><p>poll</p><script>
let id = 0
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const poll = () => post({ id: ++id, method: 'tools/call', params: { name: 'tick', arguments: {} } })
addEventListener('message', ({ data }) => {
  if (data.id === 1) post({ method: 'ui/notifications/initialized', params: {} })
  if (data.method === 'ui/notifications/tool-result') for (let call = 0; call < 6; call++) poll()
  if (data.id > 1 && data.result) setTimeout(poll, 40)
  if (data.method === 'ui/resource-teardown') post({ id: data.id, result: {} })
})
post({ id: ++id, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 'poll', version: '1' }, appCapabilities: {} } })
</script></html>`
let polled = 0
const polls = createServer({ name: 'polls', version: '1.0.0' })
polls.tool('poll', { view: view({ html: POLL }, { text: true }) }, () => 'polling')
polls.tool('tick', {}, () => `tick ${++polled}`)

/** A view that fails before it connects, one that fails afterwards and is too high, and one that says which scheme it has and when it is removed. */
const page = (script: string): string => `<!doctype html><html lang="en"><title>T</title><p>here</p><script>
const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const start = () => post({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo: { name: 't', version: '1' }, appCapabilities: {} } })
${script}
</script></html>`
const ready = `addEventListener('message', ({ data }) => { if (data.id === 1) { post({ method: 'ui/notifications/initialized' }); then() }
  if (data.method === 'ui/resource-teardown') { post({ method: 'tools/call', id: 9, params: { name: 'left', arguments: {} } }); post({ id: data.id, result: {} }) } })
start()`
let left = 0
const failing = createServer({ name: 'failing', version: '1.0.0' })
  .tool('crash', { view: view({ html: page('missing.start()') }, { text: true }) }, () => 'never seen')
  .tool(
    'noisy',
    {
      view: view(
        {
          html: page(`function then() {
  for (let i = 0; i < 3; i++) { console.error('broken', { part: 1 }); post({ id: 10 + i, method: 'ui/open-link', params: { url: 'javascript:1' } }) }
  setTimeout(() => { throw new Error('too late') })
  Promise.reject(new Error('nobody waits'))
  post({ method: 'ui/notifications/size-changed', params: { height: 200000 } })
} ${ready}`),
        },
        { text: true },
      ),
    },
    () => 'x',
  )
  .tool(
    'scheme',
    {
      view: view(
        {
          html: page(`const show = () => { document.querySelector('p').textContent = matchMedia('(prefers-color-scheme: dark)').matches ? 'is dark' : 'is light' }
matchMedia('(prefers-color-scheme: dark)').onchange = show
function then() { show() } ${ready}`),
        },
        { text: true },
      ),
    },
    () => 'x',
  )
  .tool('left', { visibility: ['app'] } as never, () => `left ${++left}`)

let browser: Browser
let serving: ListeningServer[]
let inspector: RunningInspector
let watched: WatchedPage
let screen: Page
beforeAll(async () => {
  browser = await startBrowser()
  serving = await Promise.all([probes, sales, polls, failing].map((one) => serve(one, { port: 0, handleProcessSignals: false })))
})
afterAll(async () => {
  await browser.close()
  await Promise.all(serving.map((one) => one.close()))
})
afterEach(async () => {
  expect(watched.faults.splice(0).filter((fault) => !OF_VIEWS.test(fault))).toEqual([])
  await screen.context().close()
  await inspector.stop()
})

async function callTool(server: ListeningServer | undefined, tool: string, options: BrowserContextOptions = {}): Promise<Frame> {
  await startCall(server, tool, options)
  return viewFrame()
}

async function startCall(server: ListeningServer | undefined, tool: string, options: BrowserContextOptions = {}): Promise<void> {
  inspector = await startInspector(server?.url ?? '')
  watched = await openPage(browser, inspector.link, options)
  screen = watched.page
  screen.setDefaultTimeout(TIMEOUT_MS)
  await screen.getByRole('tab', { name: /^Tools/, selected: true }).waitFor()
  await screen.locator('.item-list .item', { hasText: tool }).first().click()
  await screen.getByRole('button', { name: 'Call', exact: true }).click()
}

async function viewFrame(): Promise<Frame> {
  await screen.locator('.tool-view .badge', { hasText: 'ready' }).waitFor()
  const outer = await (await screen.waitForSelector('.view-frame iframe')).contentFrame()
  const inner = await (await outer?.waitForSelector('iframe'))?.contentFrame()
  if (!inner) throw new Error('There is no view')
  return inner
}

test('a view has the result, and everything that it does is shown', async () => {
  const frame = await callTool(serving[0], 'probe')
  await frame.getByText('the result').waitFor()
  const section = screen.getByRole('region', { name: 'View', exact: true })
  await section.getByText('https://example.com/a').waitFor()
  await section.getByText('hello <b>host</b>').waitFor()
  await section.getByText('the selection').waitFor()
  await section
    .getByText(/connect-src blocked https:\/\/blocked\.example.*Add connectDomains: \['https:\/\/blocked\.example'\]/)
    .waitFor()
  await section.getByText('camera: the inspector gives none.').waitFor()
  await section.getByText('123 px high').waitFor()
  await expect.poll(() => counted).toBe(1)
  await screen.evaluate(AXE)
  const findings = await screen.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(where: string): Promise<{ violations: { id: string }[] }> } }
    return (await axe.run('.tool-view > :not(.view-stage)')).violations.map(({ id }) => id)
  })
  expect(findings).toEqual([])
  // The call of the view does not take the place of the call of the form.
  await screen.getByRole('region', { name: 'Result' }).getByText('the result').waitFor()

  await screen.locator('.view-stage[data-mode=fullscreen]').waitFor()
  await screen.getByRole('button', { name: 'Back to inline' }).click()
  await section.getByLabel('Theme').selectOption('dark')
  await frame.locator('body[data-theme=dark]').waitFor()

  const row = screen.locator('.timeline .row')
  for (const [text, title] of [
    ['appInfo', 'ui/initialize'],
    ['example.com/a', 'ui/open-link'],
    ['blocked.example', 'blocked: connect-src'],
    ['javascript:', 'ui/open-link'],
  ] as const) {
    await screen.getByLabel('Filter the timeline').fill(text)
    await row.filter({ hasText: title }).first().waitFor()
  }
})

test('a host that is emulated offers what that host offers', async () => {
  await callTool(serving[0], 'probe')
  await screen.getByRole('button', { name: 'Back to inline' }).click()
  await screen.getByLabel('Host').selectOption('vscode')
  await screen.getByText(/is emulated, as of/).waitFor()
  await viewFrame()
  await screen.locator('.tool-view').getByText('ui/message').first().waitFor()
  expect(await screen.locator('.tool-view').getByText('Message for the conversation').count()).toBe(0)
})

test('a view of an example is drawn in each width, and calls its tool', async () => {
  const frame = await callTool(serving[1], 'sales')
  for (const width of ['320', '600']) {
    await screen.getByLabel('Width').selectOption(width)
    await expect.poll(() => screen.locator('.view-frame iframe').evaluate((one) => one.clientWidth)).toBe(Number(width))
  }
  await frame.getByText('2026').first().waitFor()
})

test('a view that calls tools all the time does not push out the call of the form', async () => {
  await callTool(serving[2], 'poll')
  const section = screen.getByRole('region', { name: 'View', exact: true })
  await expect.poll(() => polled, { timeout: 40_000 }).toBeGreaterThan(520)
  await section.locator('.badge', { hasText: 'ready' }).waitFor()
  await screen.getByRole('region', { name: 'Result' }).getByText('polling').waitFor()
})

test('a view that fails before it connects says why, and can be loaded again', async () => {
  await startCall(serving[3], 'crash')
  const section = screen.getByRole('region', { name: 'View', exact: true })
  const notice = section.getByRole('alert').filter({ hasText: /did not send ui\/initialize because one of its scripts failed/ })
  await notice.getByText('missing is not defined (line 4)').waitFor()
  await section.locator('.badge', { hasText: 'failed' }).waitFor()
  await section.getByRole('button', { name: 'Load the view again' }).click()
  await notice.waitFor({ state: 'detached' })
  await notice.waitFor()
  expect(watched.faults.splice(0).filter((fault) => !/missing is not defined|localhost:|allow-same-origin/.test(fault))).toEqual(
    [],
  )
})

test('errors of a view, refused messages with their count, and a height without end are shown', async () => {
  await callTool(serving[3], 'noisy')
  const section = screen.getByRole('region', { name: 'View', exact: true })
  await section.getByText('broken {"part":1} (3 times)').waitFor()
  await section.getByText(/Uncaught Error: too late/).waitFor()
  await section.getByText('Uncaught (in promise) Error: nobody waits').waitFor()
  await section.getByText(/ui\/open-link: .* \(3 times\)/).waitFor()
  await section.getByText(/It reports 200,000 px\. Its frame has 10,000 px/).waitFor()
  expect(await screen.locator('.view-frame iframe').evaluate((one) => one.clientHeight)).toBe(10_000)
  expect(
    watched.faults.splice(0).filter((fault) => !/broken|too late|nobody waits|localhost:|allow-same-origin/.test(fault)),
  ).toEqual([])
})

test('a view has the color scheme of the theme, and hears that it is removed when another tool is chosen', async () => {
  const frame = await callTool(serving[3], 'scheme', { colorScheme: null })
  await frame.getByText('is light').waitFor()
  await screen.locator('.tool-view').getByLabel('Theme').selectOption('dark')
  await frame.getByText('is dark').waitFor()
  await screen.locator('.item-list .item', { hasText: 'crash' }).first().click()
  await expect.poll(() => left).toBe(1)
  await expect.poll(() => screen.locator('iframe').count()).toBe(0)
})
