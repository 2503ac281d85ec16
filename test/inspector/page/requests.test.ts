/** Raw requests on the page, and what the server gets. */
import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messagesOf, startEcho } from '../support/echo-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'
import { createServerPage } from './support/server-page.ts'

const COMMAND = fileURLToPath(new URL('../../../packages/portcall/dist/cli/main.js', import.meta.url))

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

test('a message of the timeline that is edited and sent again is the request of `portcall raw`', async () => {
  const { url, received } = await startEcho()
  const { page } = await openInspector(browser, url)
  const use = createServerPage(page)
  await page
    .locator('.connection-state', { hasText: 'Connected' })
    .or(page.getByRole('tab', { name: /^Tools/, selected: true }))
    .waitFor()
  await use.send('Request', 'example/search', { text: 'first' })
  await use.succeeds()
  const drawer = await use.openMessage('example/search')
  await drawer.getByRole('button', { name: 'Edit and resend' }).click()
  const params = { text: '"quoted" \u202e', depth: 2, list: [1, null] }
  const editor = page.getByRole('textbox', { name: 'Params as JSON' })
  await expect.poll(() => editor.textContent()).toContain('first')
  await use.replaceText(editor, JSON.stringify(params))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(() => messagesOf(received, 'example/search').length).toBe(2)

  const words = Object.entries(params).map(([name, value]) => `${name}:=${JSON.stringify(value)}`)
  await promisify(execFile)(process.execPath, [COMMAND, 'raw', url, 'example/search', ...words])
  const [first, resent, raw] = messagesOf(received, 'example/search')
  expect(first).toMatchObject({ params: { text: 'first' } })
  expect(resent).toEqual({ jsonrpc: '2.0', method: 'example/search', params, version: '2026-07-28' })
  expect(raw).toEqual(resent)
})

test('a repeated request keeps to its rate', async () => {
  const { url, received, times } = await startEcho()
  const { page } = await openInspector(browser, url)
  const use = createServerPage(page)
  await use.screen('Requests')
  const set = async (label: string, value: string): Promise<void> => {
    await page.getByLabel(label).fill(value)
    await page.getByLabel(label).blur()
  }
  await set('Repeat', '6')
  await set('At most per second', '10')
  const clickedAt = performance.now()
  await use.send('Request', 'example/search')
  await use.result.locator('.figures div', { hasText: 'Succeeded' }).getByText('6', { exact: true }).waitFor()
  const sent = times.filter((_, index) => received[index]?.method === 'example/search')
  expect(sent).toHaveLength(6)
  // Five pauses of 100 ms, less what a timer may be early. A busy machine may deliver the first request late, but none too early.
  expect((sent.at(-1) ?? 0) - clickedAt).toBeGreaterThanOrEqual(490)
})
