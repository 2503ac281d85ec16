/** The separation of views from their host, from other pages and from other servers. */
import { createServer as listenHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { sandboxPage } from 'portcall/apps/host'
import { view } from 'portcall/apps/server'
import { type Client, connect } from 'portcall/client'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { server as refunds } from '../../../examples/apps/refund.ts'
import { server as sales } from '../../../examples/apps/sales.ts'
import { server as trees } from '../../../examples/apps/trees.ts'
import { startHost, type TestHost } from './support/host.ts'

/** A page that does the handshake and agrees to be removed, and nothing else. */
const PROBE = `<!doctype html><title>Probe</title><p>probe</p><script>
addEventListener('message', ({ data }) => {
  if (data.id === 1) parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} }, '*')
  if (data.method === 'ui/resource-teardown') parent.postMessage({ jsonrpc: '2.0', id: data.id, result: {} }, '*')
})
parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize',
  params: { protocolVersion: '2026-01-26', appInfo: { name: 'probe', version: '1' }, appCapabilities: {} } }, '*')
</script>`
/** A page that never does it. */
const SILENT = '<!doctype html><title>Silent</title><p>silent</p>'

const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

const probes = createServer({ name: 'probes', version: '1.0.0' })
probes.tool('probe', { view: view({ html: PROBE }, { text: true, permissions: ['clipboardWrite', 'camera'] }) }, () => 'ok')
probes.tool('silent', { view: view({ html: SILENT }, { text: true }) }, () => 'ok')

const SERVERS = { probes, sales, refunds, trees }
const clients: { [name: string]: Client } = {}
let host: TestHost

beforeAll(async () => {
  for (const [name, server] of Object.entries(SERVERS)) clients[name] = await connect(server, { capabilities: APPS })
  host = await startHost(clients)
})
afterAll(async () => {
  await host?.close()
  await Promise.all(Object.values(clients).map((client) => client.close()))
})
afterEach(() => host.closeAll())

type Shown = Parameters<typeof window.tested.show>[2]

const show = (id: string, server: string, options: Shown): Promise<void> =>
  host.page.evaluate(([name, from, all]: [string, string, Shown]) => window.tested.show(name, from, all), [
    id,
    server,
    options,
  ] as never)

/** Evaluates an expression in a view. Returns the name of the error if it throws. */
const attempt = (frame: Frame, expression: string): Promise<unknown> =>
  frame.evaluate(async (code) => {
    try {
      return await new Function(`return ${code}`)()
    } catch (error) {
      return (error as Error).name
    }
  }, expression)

describe.each(['sandbox', 'sandboxes'] as const)('a view behind one origin for all, or one for each server: %s', (kind) => {
  test('cannot reach the page of its host, its cookies and its storage', async () => {
    const { page, origin } = host
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: the cookie of a host.
      document.cookie = 'secret=1'
      localStorage.setItem('secret', '1')
    })
    await show('isolated', 'probes', { tool: 'probe', sandbox: host[kind], args: {} })
    const frame = await host.frameOf('isolated')
    const reached = {
      'the document of the host': await attempt(frame, 'top.document.title'),
      'its variables': await attempt(frame, 'top.tested'),
      'its storage': await attempt(frame, 'top.localStorage.getItem("secret")'),
      cookies: await attempt(frame, 'document.cookie.includes("secret")'),
      storage: await attempt(frame, 'localStorage.getItem("secret")'),
      'another address for the host': await attempt(frame, 'top.location.assign("about:blank")'),
      'a request to the host': await attempt(frame, `fetch(${JSON.stringify(origin)}).then(() => "sent")`),
      'a window': await attempt(frame, 'String(open("about:blank"))'),
      'the proxy page': await attempt(frame, 'parent.document.title'),
      'another address for the proxy page': await attempt(frame, 'parent.location.assign("about:blank")'),
    }
    const ownOrigin = kind === 'sandboxes'
    expect(reached).toEqual({
      'the document of the host': 'SecurityError',
      'its variables': 'SecurityError',
      'its storage': 'SecurityError',
      cookies: ownOrigin ? false : 'SecurityError',
      storage: ownOrigin ? null : 'SecurityError',
      'another address for the host': 'SecurityError',
      'a request to the host': 'TypeError',
      'a window': 'null',
      'the proxy page': 'SecurityError',
      'another address for the proxy page': 'SecurityError',
    })
    expect(new URL(page.url()).origin).toBe(origin)
  })

  test('gets the browser features that it asks for and the user grants', async () => {
    await show('granted', 'probes', { tool: 'probe', sandbox: host[kind], args: {}, grants: ['clipboardWrite'] })
    const frame = await host.frameOf('granted')
    const allow = await (await frame.frameElement()).getAttribute('allow')
    expect(allow?.replace(' *', '')).toBe('clipboard-write')
  })

  test.each([
    ['sales', 'sales', { year: 2026 }, 'li'],
    ['refunds', 'propose_refund', { order: 'A-1042', amount: 49.9, reason: 'Broken' }, 'button'],
    ['trees', 'trees', {}, '.row'],
  ])('of the example %s is drawn without an error', async (server, tool, args, drawn) => {
    host.faults.length = 0
    await show(server, server, { tool, sandbox: host[kind], args })
    const frame = await host.frameOf(server)
    await frame.waitForSelector(drawn)
    const events = await host.page.evaluate((id) => window.tested.events(id), server)
    expect(events.filter(({ type }) => type === 'refused' || type === 'error')).toEqual([])
    expect(host.faults).toEqual([])
  })
})

test('a view with an origin of its own can load neither another page nor its own page under another policy', async () => {
  const asked: string[] = []
  const elsewhere = listenHttp((request, response) => {
    asked.push(request.url ?? '')
    response.end('elsewhere')
  })
  await new Promise<void>((resolve) => elsewhere.listen(0, () => resolve()))
  onTestFinished(() => void elsewhere.close())
  const { port } = elsewhere.address() as AddressInfo
  const address = `http://x.localhost:${port}`
  for (const target of [
    `'${address}/navigated'`,
    `location.href.replace(encodeURIComponent("connect-src 'none'").replaceAll('%20', '+').replaceAll("'", '%27'), encodeURIComponent('connect-src ${address}').replaceAll('%20', '+'))`,
  ]) {
    await show('moving', 'probes', { tool: 'probe', sandbox: host.sandboxes, args: {} })
    const frame = await host.frameOf('moving')
    expect(await frame.evaluate(`(${target}) !== location.href`)).toBe(true)
    const moved = frame.page().waitForEvent('framenavigated', { predicate: (one) => one === frame })
    await frame.evaluate(`void setTimeout(() => { location.href = ${target} })`)
    await moved
    await expect(attempt(frame, `fetch('${address}/fetched', { mode: 'no-cors' }).then(() => 'sent')`)).resolves.not.toBe('sent')
    const events = await host.page.evaluate(() => window.tested.events('moving'))
    expect(events.filter(({ type }) => type === 'state').map((event) => 'state' in event && event.state)).toContain('ready')
    await host.closeAll()
  }
  expect(asked).toEqual([])
})

test('views of two servers have two origins, views of one server share one', async () => {
  const origins: unknown[] = []
  for (const [id, server] of [
    ['a', 'one'],
    ['b', 'one'],
    ['c', 'two'],
  ] as const) {
    await show(id, 'probes', { tool: 'probe', sandbox: host.sandboxes, args: {}, server })
    origins.push(await attempt(await host.frameOf(id), 'origin'))
  }
  expect(origins[0]).toBe(origins[1])
  expect(origins[0]).not.toBe(origins[2])
})

test('the proxy page is shown by no other page', async () => {
  const other = await servePage(`<iframe src="${proxyUrl(host.sandbox, host.origin)}"></iframe>`)
  const page = (await host.page.context().browser()?.newPage()) as Page
  onTestFinished(() => page.close())
  const messages: string[] = []
  page.on('console', (message) => void messages.push(message.text()))
  await page.goto(other)
  await expect.poll(() => messages.some((text) => text.includes('frame-ancestors'))).toBe(true)
  const answer = await fetch(proxyUrl(host.sandbox, new URL(other).origin))
  expect([answer.status, await answer.text()]).toEqual([403, 'The parameter "host" is not one of the hosts'])
})

test('the proxy page as a file enforces the policy too', async () => {
  const sandbox = await servePage(sandboxPage({ hosts: [host.origin] }), 'localhost')
  await show('file', 'probes', { tool: 'probe', sandbox, args: {} })
  const frame = await host.frameOf('file')
  expect(await attempt(frame, `fetch(${JSON.stringify(host.origin)}, { mode: 'no-cors' }).then(() => 'sent')`)).toBe('TypeError')
})

test('a view that never connects is removed, and the error says so', async () => {
  const shown = show('silent', 'probes', { tool: 'silent', sandbox: host.sandbox, args: {}, handshakeTimeoutMs: 5000 })
  await expect(shown).rejects.toThrow(/ui\/initialize/)
})

test('a view that is closed before it connects rejects, and does not wait for the limit', async () => {
  const shown = show('silent', 'probes', { tool: 'silent', sandbox: host.sandbox, args: {}, handshakeTimeoutMs: 60_000 })
  const failed = shown.catch((error: unknown) => String(error))
  await host.page.waitForSelector('#silent iframe', { state: 'attached' })
  await host.page.evaluate(() => window.tested.close('silent'))
  expect(await failed).toMatch(/AbortError/)
})

test('a view whose process has crashed is replaced by the reason', async () => {
  // Playwright takes no more commands for a page in which a frame has crashed, so the page says itself what it shows.
  const own = await startHost(clients)
  onTestFinished(() => own.close())
  const said: string[] = []
  const listener = listenHttp((request, response) => {
    said.push(decodeURIComponent(request.url?.slice(1) ?? ''))
    response.end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  const { page } = own
  const options = { tool: 'probe', sandbox: own.sandboxes, view: { html: PROBE }, responseTimeoutMs: 600 }
  await page.evaluate((all) => window.tested.show('crashed', 'probes', all), options)
  await page.evaluate(
    (port) => {
      const say = (text: string): void => void fetch(`http://127.0.0.1:${port}/${encodeURIComponent(text)}`, { mode: 'no-cors' })
      let last = ''
      setInterval(() => {
        const text = document.querySelector('#crashed [role=alert]')?.textContent ?? 'shown'
        if (text !== last) say(text)
        last = text
      }, 50)
    },
    (listener.address() as AddressInfo).port,
  )
  const session = await page.context().newCDPSession(await own.frameOf('crashed'))
  void session.send('Page.crash').catch(() => {})
  const reason = 'The view has not reacted for 600 ms: its process has crashed, or one of its scripts does not end'
  await expect.poll(() => said, { timeout: 20_000 }).toEqual(['shown', reason])
})

test('a view that reacts again comes back', async () => {
  const { page } = host
  await show('busy', 'probes', { tool: 'probe', sandbox: host.sandboxes, args: {}, responseTimeoutMs: 600 })
  const frame = await host.frameOf('busy')
  // Long enough for the answers before.
  await expect.poll(() => page.evaluate(() => document.querySelector('#busy iframe')?.clientHeight ?? 0)).toBeGreaterThan(0)
  await frame.waitForTimeout(300)
  const busy = frame.evaluate(() => {
    const end = Date.now() + 2500
    while (Date.now() < end);
  })
  const alert = page.locator('#busy [role=alert]')
  await alert.waitFor()
  await busy
  await alert.waitFor({ state: 'detached' })
  expect(await page.locator('#busy iframe').isVisible()).toBe(true)
})

test('50 views that were opened and closed leave no frame and no listener', async () => {
  const { page } = host
  const count = (): Promise<number> => page.evaluate(() => document.querySelectorAll('iframe').length)
  await page.evaluate(() => {
    const listeners = { open: 0 }
    const { addEventListener: add, removeEventListener: remove } = window
    window.addEventListener = (...args: Parameters<typeof add>) => {
      listeners.open += 1
      add.apply(window, args)
    }
    window.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners.open -= 1
      remove.apply(window, args)
    }
    Object.assign(window, { listeners })
  })
  for (let round = 0; round < 10; round += 1) {
    const ids = Array.from({ length: 5 }, (_, at) => `v${round}-${at}`)
    for (const id of ids) await show(id, 'probes', { tool: 'probe', sandbox: host.sandbox, args: {} })
    expect(await count()).toBe(5)
    await host.closeAll()
  }
  expect(await count()).toBe(0)
  expect(await page.evaluate(() => (window as unknown as { listeners: { open: number } }).listeners.open)).toBe(0)
})

const proxyUrl = (sandbox: string, origin: string): string => `${sandbox}?host=${encodeURIComponent(origin)}`

/** Serves a page on a port of its own until the test ends. Returns its URL. */
async function servePage(html: string, name = '127.0.0.1'): Promise<string> {
  const server = listenHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, () => resolve()))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${name}:${(server.address() as AddressInfo).port}/`
}
