/** A page that is loaded again shows what it showed before: the screen, and everything that a person has typed. */
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPage, startBrowser } from './support/inspector.ts'
import { type SampleBackend, startSampleBackend } from './support/sample-backend.ts'
import { sampleEntries, sampleState } from './support/sample-state.ts'

const PAGE = fileURLToPath(new URL('../../../packages/portcall/dist/inspector/page', import.meta.url))

let browser: Browser
let backend: SampleBackend
let page: Page
let faults: string[]
beforeAll(async () => {
  browser = await startBrowser()
  backend = await startSampleBackend({ page: PAGE, state: sampleState(), entries: sampleEntries() })
  ;({ page, faults } = await openPage(browser, backend.url))
})
afterAll(async () => {
  await browser.close()
  await backend.close()
  expect(faults).toEqual([])
})

const template = encodeURIComponent('note:///{+path}')

interface Field {
  readonly screen: string
  /** The name of the field, of its label or in its address. */
  readonly field: string
  readonly text: string
  /** The element that has to be clicked before it is in sight. */
  readonly open?: string
}

test.each<Field>([
  { screen: '#/connect', field: '#target', text: 'https://example.com/mcp' },
  { screen: '#/s1/tools/search', field: '#tool-search-query', text: 'bread' },
  { screen: `#/s1/resources/${template}`, field: 'input[id$="-path"]', text: 'inbox/today' },
  { screen: '#/s1/prompts/weekly-review', field: '.detail input[id^="prompt-"]', text: 'this week' },
  { screen: '#/s1/requests', field: '[aria-label="Method"]', text: 'resources/read' },
  { screen: '#/s1/requests', field: '[aria-label="Params as JSON"]', text: '{ "uri": "note:///a" }' },
  { screen: '#/s1/tools/summarize', field: '#sampling-q2', text: 'A list of groceries' },
  { screen: '#/s1/auth', field: '[aria-label="URL of the MCP server"]', text: 'https://other.example/mcp' },
  { screen: '#/s1/auth', field: '#oauth-scopes', text: 'notes:read', open: 'Client and scopes' },
  { screen: '#/s1/logs', field: '[aria-label="Filter the timeline"]', text: 'tools' },
])('$screen $field', async ({ screen, field, text, open }) => {
  const unfold = async (): Promise<void> => {
    if (open !== undefined) await page.locator('summary', { hasText: open }).click()
  }
  await page.goto(backend.url + screen)
  await unfold()
  const input = page.locator(field).and(page.locator(':visible')).first()
  const textOf = (): Promise<string> => input.evaluate((element) => (element as HTMLInputElement).value ?? element.textContent)
  await input.fill(text)
  await page.reload()
  await unfold()
  await expect.poll(textOf).toBe(text)
  expect(page.url()).toBe(backend.url + screen)
})

test('the answer to a question, before it is sent', async () => {
  await page.goto(`${backend.url}#/s1/tools/archive`)
  const target = page.locator('select[id^="question-q1"]').first()
  await target.selectOption({ label: 'trash' })
  await page.reload()
  await expect.poll(() => target.evaluate((element: HTMLSelectElement) => element.selectedOptions[0]?.label)).toBe('trash')
})

test('the view of the arguments', async () => {
  await page.goto(`${backend.url}#/s1/tools/search`)
  await page.getByRole('tab', { name: 'JSON' }).click()
  await page.reload()
  await page.locator('.cm-content').waitFor()
  await page.getByRole('tab', { name: 'Form' }).click()
})

test('secrets are not kept', async () => {
  await page.goto(`${backend.url}#/s1/auth`)
  await page.locator('summary', { hasText: 'Client and scopes' }).click()
  await page.getByLabel('Client secret').fill('hunter2')
  await page.locator('#oauth-scopes').fill('notes:write')
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain('hunter2')
})

test('a server that does not declare logging is not asked for a level, and the screen says why', async () => {
  await page.goto(`${backend.url}#/s2/logs`)
  await page.getByText('cannot be asked for a level').waitFor()
  expect(await page.getByLabel('Ask the server to send').count()).toBe(0)
  await page.goto(`${backend.url}#/s1/logs`)
  await page.getByLabel('Ask the server to send').waitFor()
})
