/** A page of a host in Chromium, and the proxy page on other origins. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Browser, type ConsoleMessage, chromium, type Frame, type Page } from 'playwright-core'
import { sandboxHandler } from 'portcall/apps/host'
import type { Client } from 'portcall/client'
import { rolldown } from 'rolldown'
import { findChromium } from '../../../../tools/lib/chromium.mjs'

/** The host, as tests use it. */
export interface TestHost {
  readonly page: Page
  readonly origin: string
  /** The proxy page on one origin for all views. */
  readonly sandbox: string
  /** The proxy page on an origin for each server. */
  readonly sandboxes: string
  /** Errors that the pages have written to the console, and exceptions. */
  readonly faults: string[]
  /** Returns the frame of a view. */
  frameOf(id: string): Promise<Frame>
  /** Closes all views. */
  closeAll(): Promise<void>
  close(): Promise<void>
}

const PAGE =
  '<!doctype html><html><head><title>Host</title></head><body><script type="module" src="/page.js"></script></body></html>'

/** Starts the browser with the page. Requests of its views go to `clients`. */
export async function startHost(clients: { readonly [server: string]: Client }): Promise<TestHost> {
  const bundle = await rolldown({ input: fileURLToPath(new URL('page.ts', import.meta.url)), platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  const pages = await listen(({ url }) =>
    url === '/page.js' ? body(output[0].code, 'text/javascript') : body(PAGE, 'text/html'),
  )
  const origin = `http://127.0.0.1:${portOf(pages)}`
  const handle = sandboxHandler({ hosts: [origin] })
  const sandboxes = await listen((request) =>
    handle(new Request(`http://${request.headers.host}${request.url}`, { method: request.method ?? 'GET' })),
  )
  const executablePath = findChromium()
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] })
  const { page, faults } = await openPage(browser, origin, clients)
  const port = portOf(sandboxes)
  return {
    page,
    origin,
    faults,
    sandbox: `http://localhost:${port}/`,
    sandboxes: `http://*.localhost:${port}/`,
    async frameOf(id) {
      const outer = await (await page.waitForSelector(`#${id} iframe`, { state: 'attached' })).contentFrame()
      const inner = await (await outer?.waitForSelector('iframe', { state: 'attached' }))?.contentFrame()
      if (!inner) throw new Error(`There is no frame in ${id}`)
      return inner
    },
    closeAll: () => page.evaluate(() => window.tested.closeAll()),
    async close() {
      await browser.close()
      for (const server of [pages, sandboxes]) server.close()
    },
  }
}

async function openPage(browser: Browser, origin: string, clients: { readonly [server: string]: Client }) {
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  const faults: string[] = []
  page.on('pageerror', (error) => void faults.push(String(error)))
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.exposeFunction('mcp', async (server: string, method: string, args: unknown[]) => {
    const client = clients[server]
    if (!client) throw new Error(`There is no server ${server}`)
    if (method === 'tools') return client.tools().toArray()
    return method === 'callTool'
      ? client.callTool(String(args[0]), args[1] as never, args[2] ? { meta: args[2] as never } : {})
      : client.request(String(args[0]), args[1] as never)
  })
  await page.goto(origin)
  await page.waitForFunction(() => window.tested !== undefined)
  return { page, faults }
}

const body = (text: string, type: string): Response =>
  new Response(text, { headers: { 'content-type': `${type}; charset=utf-8` } })

function listen(handle: (request: IncomingMessage) => Response | Promise<Response>): Promise<Server> {
  const server = createServer(async (request, answer) => {
    const response = await handle(request)
    answer.writeHead(response.status, Object.fromEntries(response.headers)).end(Buffer.from(await response.arrayBuffer()))
  })
  return new Promise((resolve) => server.listen(0, () => resolve(server)))
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port
