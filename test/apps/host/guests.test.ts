import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
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

const programOf = (name: string) => {
  const folder = new URL(`../node_modules/@modelcontextprotocol/server-${name}/`, import.meta.url)
  return { command: execPath, args: [fileURLToPath(new URL('dist/index.js', folder)), '--stdio'] }
}
const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const gateway = createGateway({ servers: { one: programOf('basic-vanillajs'), two: programOf('basic-react') } })

beforeAll(async () => {
  await Promise.all(
    Object.keys(GUESTS).map(async (name) => {
      clients[name] = await connect(programOf(name), { capabilities, connectTimeoutMs: 60_000 })
    }),
  )
  clients.gateway = await connect(gateway, { capabilities })
  host = await startHost(clients)
  check = await messageChecker()
})
afterAll(async () => {
  await host?.close()
  await Promise.all(Object.values(clients).map((client) => client.close()))
  await gateway.close()
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
  await page.waitForFunction((id) => JSON.stringify(window.tested.events(id)).includes('ui/notifications/tool-result'), name)
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

test('behind a gateway, a view calls the tools of its own server by their own names', async () => {
  const { page, sandbox, faults } = host
  faults.length = 0
  const tools = (await clients.gateway?.tools().toArray()) ?? []
  expect(tools.map(({ name }) => name)).not.toContain('get-time')
  const tool = tools.find(({ name }) => name.startsWith('one'))?.name ?? ''
  await page.evaluate(([name, url]) => window.tested.show('gateway', 'gateway', { tool: name, sandbox: url, args: {} }), [
    tool,
    sandbox,
  ] as const)
  const frame = await host.frameOf('gateway')
  await frame.getByRole('button', { name: /time/i }).first().click()
  await page.waitForFunction(() =>
    window.tested.events('gateway').some((event) => JSON.stringify(event).includes('"tools/call"')),
  )
  await page.waitForFunction(() => {
    const messages = window.tested.events('gateway').flatMap((event) => (event.type === 'message' ? [event] : []))
    const call = messages.find(({ message }) => 'method' in message && message.method === 'tools/call')
    const id = call && 'id' in call.message ? call.message.id : undefined
    return messages.some(({ from, message }) => from === 'host' && 'result' in message && message.id === id)
  })
  expect(faults).toEqual([])
})
