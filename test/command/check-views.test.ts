import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'portcall'
import { type ListeningServer, serve } from 'portcall/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portcall } from './support/portcall.ts'

const URI = 'ui://charts/sales.html'
const TYPE = 'text/html;profile=mcp-app'

let listening: ListeningServer | undefined
let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcall-views-'))
})
afterEach(() => listening?.close())

/** Serves a tool whose view is a page that was written by hand, without Portcall's `view`. */
async function serveView(html: string, result = 'Sales'): Promise<string> {
  await listening?.close()
  const server = createServer({ name: 'charts', version: '1.0.0' }, { instructions: 'Charts of sales.' })
  const annotations = { readOnlyHint: true }
  server.tool('sales', { description: 'Sales', annotations, _meta: { ui: { resourceUri: URI } } }, () => result)
  server.resource(URI, { mimeType: TYPE, title: 'Sales' }, () => html)
  listening = await serve(server, { port: 0, handleProcessSignals: false })
  return listening.url
}

const GOOD = `<!doctype html><title>Sales</title><p>Sales</p><script>
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  onmessage = () => {
    send({ method: 'ui/notifications/initialized' })
    send({ method: 'ui/notifications/size-changed', params: { height: 40 } })
  }
  send({ id: 1, method: 'ui/initialize', params: { appInfo: { name: 'sales', version: '1.0.0' }, appCapabilities: {} } })
</script>`

test('an empty frame has a reason, and the page that works has none', async () => {
  const bad = await portcall(['check', await serveView('<p>Sales</p><script>fetch("https://api.example.com/sales")</script>')])
  expect(bad.code).toBe(1)
  expect(bad.out).toContain(`error: resource ${URI}: the page never sends ui/initialize: hosts keep the frame hidden`)
  expect(bad.out).toContain('fetch uses https://api.example.com, which ui.csp.connectDomains does not have')
  expect(bad.out).toContain('  → Send ui/initialize with appInfo')
  expect(await portcall(['check', await serveView(GOOD), '--strict'])).toMatchObject({ code: 0 })
})

test('a view that has changed under its URI is compared with the published one', async () => {
  const published = join(folder, 'released.json')
  expect(await portcall(['snapshot', await serveView(GOOD), '--out', published])).toMatchObject({ code: 0 })
  const url = await serveView(GOOD.replace('<p>', '<p>New '))
  const { code, out } = await portcall(['check', url, '--since', published, '--json'])
  const { findings } = JSON.parse(out)
  expect({ code, rules: findings.map(({ rule }: { rule: string }) => rule) }).toEqual({ code: 1, rules: ['view-same-uri'] })
  const difference = await portcall(['diff', published, url, '--breaking'])
  expect(difference.out).toContain(`view ${URI} /sha256`)
  expect(await portcall(['check', await serveView(GOOD), '--since', published])).toMatchObject({ code: 0 })

  const other = join(folder, 'other.json')
  await writeFile(other, '{}')
  for (const [path, reason] of [
    [other, 'is not a snapshot'],
    [join(folder, 'none.json'), 'does not exist'],
  ] as const)
    expect(await portcall(['check', url, '--since', path])).toMatchObject({ code: 2, err: expect.stringContaining(reason) })
})

test('a result is checked when its tool is called', async () => {
  const url = await serveView(GOOD, 'x'.repeat(150_001))
  expect(await portcall(['check', url])).toMatchObject({ code: 0 })
  const { code, out } = await portcall(['check', url, '--call', 'sales'])
  expect(code).toBe(1)
  expect(out).toMatch(/error: tool sales: the result has 150\d{3} characters.*\[view-result-size\]/)
  expect(await portcall(['check', url, '--call', 'sale'])).toMatchObject({ code: 2, err: expect.stringContaining('sales') })
})
