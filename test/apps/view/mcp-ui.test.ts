/** The examples in the host of mcp-ui, which has an older version of the reference implementation, with our proxy page. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { sandboxHandler } from 'portcall/apps/host'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { server as refunds } from '../../../examples/apps/refund.ts'
import { server as sales } from '../../../examples/apps/sales.ts'
import { server as trees } from '../../../examples/apps/trees.ts'
import { servePages, useChromium } from './support/browser.ts'
import { bundle, pageOf } from './support/bundle.ts'
import { openExample } from './support/example.ts'

const EXAMPLES = [
  ['sales', sales, 'sales', { year: 2026 }, 'li'],
  ['refund', refunds, 'propose_refund', { order: 'A-1042', amount: 49.9, reason: 'It is broken' }, 'button:enabled'],
  ['trees', trees, 'trees', {}, '.body .row'],
] as const

const { browser } = useChromium()
let host = ''
beforeAll(async () => {
  host = pageOf(await bundle('pages/mcp-ui-host.ts'))
})

async function serveSandbox(origin: string): Promise<string> {
  const handle = sandboxHandler({ hosts: [origin] })
  const server = createServer(async ({ url = '/' }, response) => {
    const answer = await handle(new Request(`http://localhost${url}`))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}/?host=${encodeURIComponent(origin)}`
}

async function innermost(page: Page): Promise<Frame> {
  await expect.poll(() => page.frames().length).toBe(3)
  return page.frames().at(-1) as Frame
}

test.each(EXAMPLES)('%s is drawn, has its size, and calls its tools', async (name, server, tool, input, ready) => {
  const { origin, close } = await servePages({ '/host': host })
  onTestFinished(close)
  const { client, html, result } = await openExample(server, tool, { ...input })
  onTestFinished(() => client.close())
  const page = await browser().newPage({ viewport: { width: 760, height: 700 } })
  onTestFinished(() => page.close())
  const [told, errors, calls] = [new Map<string, unknown>(), [] as string[], [] as unknown[]]
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.exposeFunction('tell', (event: string, value: unknown) => void told.set(event, value))
  await page.exposeFunction('callTool', (params: { name: string; arguments?: Record<string, unknown> }) => {
    calls.push(params)
    return client.callTool(params.name, params.arguments ?? {})
  })
  await page.goto(`${origin}/host`)
  const sandbox = await serveSandbox(origin)
  await page.evaluate(([shown, url]) => (window.show as (one: unknown, two: unknown) => void)(shown, url), [
    { html, input, result, width: 600 },
    sandbox,
  ] as const)
  const frame = await innermost(page)
  await frame.locator(ready).first().waitFor()
  await expect.poll(() => told.get('size')).toMatchObject({ height: expect.any(Number) })
  if (name === 'sales') {
    await frame.locator('select').selectOption('2023')
    await expect.poll(() => frame.locator('h1').textContent()).toContain('2023')
    expect(calls).toMatchObject([{ name: 'sales', arguments: { year: 2023 } }])
  }
  expect([errors, told.get('error')]).toEqual([[], undefined])
})
