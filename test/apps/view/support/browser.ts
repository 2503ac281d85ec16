import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Frame, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** Starts Chromium for the tests of a file. */
export function useChromium(): { readonly browser: () => Browser } {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '', args: ['--no-sandbox'] })
  })
  afterAll(() => browser?.close())
  return {
    browser: () => {
      if (!browser) throw new Error('Chromium is not running')
      return browser
    },
  }
}

/** Serves pages by path until the tests of the file end. Returns the origin. */
export async function servePages(pages: { readonly [path: string]: string }): Promise<{ origin: string; close: () => void }> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? '']
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.closeAllConnections() ?? server.close(),
  }
}

/** Returns the frame in which a view runs: the innermost one. */
export async function viewFrame(page: Page): Promise<Frame> {
  const frame = page.frames().at(-1)
  if (!frame || frame === page.mainFrame()) throw new Error('there is no view')
  return frame
}
