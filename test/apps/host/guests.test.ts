import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startHost, type TestHost } from './support/host.ts'
import { messageChecker } from './support/schema.ts'

/** Published servers, each with a text that its view shows. */
const GUESTS: { readonly [name: string]: RegExp } = {
  'basic-vanillajs': /server time/i,
  'basic-react': /server time/i,
  'basic-preact': /server time/i,
  'basic-vue': /server time/i,
  'basic-svelte': /server time/i,
  'basic-solid': /server time/i,
  'budget-allocator': /budget/i,
  'system-monitor': /cpu/i,
  'scenario-modeler': /revenue/i,
  'cohort-heatmap': /cohort/i,
  'customer-segmentation': /segment/i,
  transcript: /speech will appear/i,
}

const clients: { [name: string]: Client } = {}
let host: TestHost
let check: Awaited<ReturnType<typeof messageChecker>>

beforeAll(async () => {
  await Promise.all(
    Object.keys(GUESTS).map(async (name) => {
      const folder = new URL(`../node_modules/@modelcontextprotocol/server-${name}/`, import.meta.url)
      const args = [fileURLToPath(new URL('dist/index.js', folder)), '--stdio']
      const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
      clients[name] = await connect({ command: execPath, args }, { capabilities, connectTimeoutMs: 60_000 })
    }),
  )
  host = await startHost(clients)
  check = await messageChecker()
})
afterAll(async () => {
  await host?.close()
  await Promise.all(Object.values(clients).map((client) => client.close()))
})

// Browsers do not render frames below the fold, so each view has the page for itself.
afterEach(() => host.closeAll())

test.each(Object.entries(GUESTS))('shows the view of %s', async (name, text) => {
  const { page, sandbox, faults } = host
  faults.length = 0
  const tools = (await clients[name]?.tools().toArray()) ?? []
  const tool = tools.find(({ _meta }) => (_meta?.ui as { resourceUri?: string } | undefined)?.resourceUri)
  await page.evaluate(([id, tool, sandbox]) => window.tested.show(id, id, { tool, sandbox, args: {} }), [
    name,
    tool?.name ?? '',
    sandbox,
  ] as const)
  const frame = await host.frameOf(name)
  await frame.waitForFunction((source) => new RegExp(source, 'i').test(document.body.innerText), text.source)
  await page.waitForFunction((id) => window.tested.events(id).some((event) => event.type === 'size'), name)
  const events = await page.evaluate((id) => window.tested.events(id), name)
  const messages = check(events)
  expect(messages.faults).toEqual([])
  expect(events.filter(({ type }) => type === 'refused' || type === 'error')).toEqual([])
  expect([...messages.methods]).toEqual(
    expect.arrayContaining([
      'ui/initialize',
      'ui/notifications/initialized',
      'ui/notifications/tool-input',
      'ui/notifications/tool-result',
    ]),
  )
  expect(faults).toEqual([])
  await host.closeAll()
  expect(await page.locator('iframe').count()).toBe(0)
})
