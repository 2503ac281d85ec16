import { chromium } from 'playwright-core'
import type { Seen } from '../clients/journey.ts'
import { findChromium } from './binaries.mjs'

/** A page in Chromium that holds our client. */
export interface Page {
  /** What was wrong with the page: errors, and requests that failed. */
  readonly complaints: string[]
  travel(url: string, revision?: string): Promise<Seen>
  close(): Promise<void>
}

declare const travel: (url: string, way: { revision?: string | undefined }) => Promise<Seen>

/** Opens the page of an origin. */
export async function openPage(origin: string): Promise<Page> {
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] })
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(origin)
  await page.waitForFunction(() => 'travel' in globalThis)
  return {
    complaints,
    travel: (url, revision) => page.evaluate(([to, by]) => travel(to, { revision: by }), [url, revision] as const),
    close: () => browser.close(),
  }
}
