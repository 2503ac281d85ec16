import { chromium } from 'playwright-core'
import { findChromium } from '../../../tools/lib/chromium.mjs'
import type { Seen } from '../clients/journey.ts'

/** A page in Chromium with the Portcall client. */
export interface Page {
  /** The errors and failed requests of the page. */
  readonly errors: string[]
  travel(url: string, revision?: string): Promise<Seen>
  close(): Promise<void>
}

declare const travel: (url: string, way: { revision?: string | undefined }) => Promise<Seen>

/** Opens the page at an origin. */
export async function openPage(origin: string): Promise<Page> {
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] })
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.goto(origin)
  await page.waitForFunction(() => 'travel' in globalThis)
  return {
    errors,
    travel: (url, revision) => page.evaluate(([to, by]) => travel(to, { revision: by }), [url, revision] as const),
    close: () => browser.close(),
  }
}
