/** Views of tools (MCP Apps), shown beside their form. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Frame, Page } from 'playwright-core'
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

let browser: Browser
let serving: ListeningServer[]
let inspector: RunningInspector
let watched: WatchedPage
let page: Page
beforeAll(async () => {
  browser = await startBrowser()
  serving = await Promise.all([probes, sales, polls].map((one) => serve(one, { port: 0, handleProcessSignals: false })))
})
afterAll(async () => {
  await browser.close()
  await Promise.all(serving.map((one) => one.close()))
})
afterEach(async () => {
  expect(watched.faults.splice(0).filter((fault) => !OF_VIEWS.test(fault))).toEqual([])
  await page.context().close()
  await inspector.stop()
})

async function callTool(server: ListeningServer | undefined, tool: string): Promise<Frame> {
  inspector = await startInspector(server?.url ?? '')
  watched = await openPage(browser, inspector.link)
  page = watched.page
  page.setDefaultTimeout(TIMEOUT_MS)
  await page.getByRole('tab', { name: /^Tools/, selected: true }).waitFor()
  await page.locator('.item-list .item', { hasText: tool }).first().click()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  return viewFrame()
}

async function viewFrame(): Promise<Frame> {
  await page.locator('.tool-view .badge', { hasText: 'ready' }).waitFor()
  const outer = await (await page.waitForSelector('.view-frame iframe')).contentFrame()
  const inner = await (await outer?.waitForSelector('iframe'))?.contentFrame()
  if (!inner) throw new Error('There is no view')
  return inner
}

test('a view has the result, and everything that it does is shown', async () => {
  const frame = await callTool(serving[0], 'probe')
  await frame.getByText('the result').waitFor()
  const section = page.getByRole('region', { name: 'View', exact: true })
  await section.getByText('https://example.com/a').waitFor()
  await section.getByText('hello <b>host</b>').waitFor()
  await section.getByText('the selection').waitFor()
  await section
    .getByText(/connect-src blocked https:\/\/blocked\.example.*Add connectDomains: \['https:\/\/blocked\.example'\]/)
    .waitFor()
  await section.getByText('camera: the inspector gives none.').waitFor()
  await section.getByText('123 px high').waitFor()
  await expect.poll(() => counted).toBe(1)
  await page.evaluate(AXE)
  const findings = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(where: string): Promise<{ violations: { id: string }[] }> } }
    return (await axe.run('.tool-view > :not(.view-stage)')).violations.map(({ id }) => id)
  })
  expect(findings).toEqual([])
  // The call of the view does not take the place of the call of the form.
  await page.getByRole('region', { name: 'Result' }).getByText('the result').waitFor()

  await page.locator('.view-stage[data-mode=fullscreen]').waitFor()
  await page.getByRole('button', { name: 'Back to inline' }).click()
  await section.getByLabel('Theme').selectOption('dark')
  await frame.locator('body[data-theme=dark]').waitFor()

  const row = page.locator('.timeline .row')
  for (const [text, title] of [
    ['appInfo', 'ui/initialize'],
    ['example.com/a', 'ui/open-link'],
    ['blocked.example', 'blocked: connect-src'],
    ['javascript:', 'ui/open-link'],
  ] as const) {
    await page.getByLabel('Filter the timeline').fill(text)
    await row.filter({ hasText: title }).first().waitFor()
  }
})

test('a host that is emulated offers what that host offers', async () => {
  await callTool(serving[0], 'probe')
  await page.getByRole('button', { name: 'Back to inline' }).click()
  await page.getByLabel('Host').selectOption('vscode')
  await page.getByText(/is emulated, as of/).waitFor()
  await viewFrame()
  await page.locator('.tool-view').getByText('ui/message').first().waitFor()
  expect(await page.locator('.tool-view').getByText('Message for the conversation').count()).toBe(0)
})

test('a view of an example is drawn in each width, and calls its tool', async () => {
  const frame = await callTool(serving[1], 'sales')
  for (const width of ['320', '600']) {
    await page.getByLabel('Width').selectOption(width)
    await expect.poll(() => page.locator('.view-frame iframe').evaluate((one) => one.clientWidth)).toBe(Number(width))
  }
  await frame.getByText('2026').first().waitFor()
})

test('a view that calls tools all the time does not push out the call of the form', async () => {
  await callTool(serving[2], 'poll')
  const section = page.getByRole('region', { name: 'View', exact: true })
  await expect.poll(() => polled, { timeout: 40_000 }).toBeGreaterThan(520)
  await section.locator('.badge', { hasText: 'ready' }).waitFor()
  await page.getByRole('region', { name: 'Result' }).getByText('polling').waitFor()
})
