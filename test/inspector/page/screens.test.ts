/** Every screen in both themes: no findings of axe, no faults, and it fits into a narrow window. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPage, startBrowser, type WatchedPage } from './support/inspector.ts'
import { type SampleBackend, startSampleBackend } from './support/sample-backend.ts'
import { sampleEntries, sampleState } from './support/sample-state.ts'

const PAGE = fileURLToPath(new URL('../../../packages/portcall/dist/inspector/page', import.meta.url))
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
let backend: SampleBackend
beforeAll(async () => {
  browser = await startBrowser()
  backend = await startSampleBackend({ page: PAGE, state: sampleState(), entries: sampleEntries() })
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})

const item = (uri: string): string => encodeURIComponent(uri)

const SCREENS: Record<string, string> = {
  connect: '#/connect',
  tool: '#/s1/tools/search',
  'tool with a question': '#/s1/tools/archive',
  'tool with sampling': '#/s1/tools/summarize',
  'tool with variants and findings': '#/s1/tools/write',
  resource: `#/s1/resources/${item('note:///welcome.md')}`,
  template: `#/s1/resources/${item('note:///{+path}')}`,
  prompt: '#/s1/prompts/weekly-review',
  task: '#/s1/tasks/task-8f2c',
  skills: '#/s1/skills',
  events: '#/s1/events/note.changed',
  logs: '#/s1/logs',
  requests: '#/s1/requests',
  auth: '#/s1/auth',
  check: '#/s1/check',
  connection: '#/s1/connection',
  'failed connection': '#/s3/connection',
  compare: '#/compare',
  recordings: '#/recordings',
  'saved calls': '#/saved',
  settings: '#/settings',
}

/** Opens what is folded on a screen, so that it is examined as well. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
  })
}

interface AxeFinding {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

interface Axe {
  run(options: object): Promise<{ violations: AxeFinding[] }>
}

/** Runs the rules of axe: all, or the named ones. */
async function findings(page: Page, rules?: string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const violations = await page.evaluate((given) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    return axe.run(given).then((result) => result.violations)
  }, options)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`),
  )
}

/** Opens one page for all screens, because loading it takes longer than showing a screen. */
function usePage(options: BrowserContextOptions): { readonly page: Page; show(hash: string): Promise<void> } {
  let watched: WatchedPage
  beforeAll(async () => {
    watched = await openPage(browser, backend.url, options)
    // It is evaluated from outside of the page, so the policy of the page stays as it is.
    await watched.page.evaluate(AXE)
  })
  afterEach(() => expect(watched.faults.splice(0)).toEqual([]))
  afterAll(() => watched.page.context().close())
  return {
    get page() {
      return watched.page
    },
    async show(hash) {
      const { page } = watched
      await page.evaluate((next) => {
        location.hash = next
        // Two frames: one for the event, one for what it changes.
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      }, hash)
      await page.waitForFunction(() => document.querySelector('main')?.childElementCount)
    },
  }
}

/** The rules of axe by theme. Both themes show the same elements, so in the second one only the colors are new. */
const RULES = { light: undefined, dark: ['color-contrast', 'link-in-text-block'] }

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  const rules = RULES[colorScheme]
  const opened = usePage({ colorScheme, reducedMotion: 'reduce' })

  test.each(Object.entries(SCREENS))('%s: axe finds nothing', async (_name, hash) => {
    const { page } = opened
    await opened.show(hash)
    await page.locator('.timeline .row').first().waitFor()
    await unfold(page)
    expect(await findings(page, rules)).toEqual([])
  })

  test('the drawer, the palette and a menu: axe finds nothing', async () => {
    const { page } = opened
    await opened.show('#/s1/tools/search')
    await page.locator('.timeline .row').nth(1).click()
    const drawer = page.getByRole('complementary', { name: 'Message' })
    for (const name of ['Newest revision', 'HTTP', 'Rules']) {
      await drawer.getByRole('tab', { name }).click()
      expect(await findings(page, rules)).toEqual([])
    }
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.locator('.cm-content').waitFor()
    expect(await findings(page, rules)).toEqual([])
    await page.locator('.call-bar').getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(await findings(page, rules)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    expect(await findings(page, rules)).toEqual([])
  })
})

/** 320 pixels, and 1280 pixels at 400 %, which is the same. 200 % of 1440 pixels is 720. */
describe.each([320, 390, 720])('%d pixels', (width) => {
  const opened = usePage({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })

  test.each(Object.entries(SCREENS))('%s: nothing is cut off, and axe finds nothing', async (_name, hash) => {
    const { page } = opened
    await opened.show(hash)
    const cut = await page.evaluate(() =>
      [document.documentElement, document.querySelector('main')].map((element) =>
        element ? element.scrollWidth - element.clientWidth : Number.NaN,
      ),
    )
    expect(cut).toEqual([0, 0])
    await unfold(page)
    expect(await findings(page)).toEqual([])
  })
})
