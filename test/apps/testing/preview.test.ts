/** The page of `portcall apps preview`, in Chromium. */
import type { Page } from 'playwright-core'
import { type Preview, servePreview } from 'portcall/apps/testing'
import { type Client, connect } from 'portcall/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { server } from '../../../examples/apps/sales.ts'
import { useChromium } from '../view/support/browser.ts'

const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const { browser } = useChromium()
let client: Client
let preview: Preview
beforeAll(async () => {
  client = await connect(server, { capabilities: APPS })
  preview = await servePreview({ client: client as never })
})
afterAll(async () => {
  await preview?.close()
  await client?.close()
})

const viewOf = (page: Page) => page.frameLocator('#view iframe').frameLocator('iframe')
const save = async (page: Page, name: string): Promise<void> => {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/preview-${name}.png` })
}

test('shows a view in any host, theme and width, with its messages', async () => {
  const page = await browser().newPage({ viewport: { width: 1280, height: 900 } })
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(preview.url)
  const view = viewOf(page)
  await view.locator('h1', { hasText: 'Sales 2026' }).waitFor()
  await page.locator('summary', { hasText: 'ui/notifications/tool-result' }).waitFor()
  await save(page, 'light')
  await page.locator('[name=args]').fill('{ "year": 2023 }')
  await page.getByRole('button', { name: 'Call the tool' }).click()
  await view.locator('h1', { hasText: 'Sales 2023' }).waitFor()
  await page.locator('[name=profile]').selectOption('vscode')
  await view.locator('h1', { hasText: 'Sales 2023' }).waitFor()
  expect(await page.locator('#view').evaluate((element) => element.clientWidth)).toBe(494)
  expect(await page.locator('[data-note]').textContent()).toContain('Emulated, as of 2026-08')
  await page.locator('[name=theme]').selectOption('dark')
  await expect.poll(() => view.locator('html').evaluate((root) => getComputedStyle(root).colorScheme)).toBe('dark')
  await page.locator('[name=profile]').selectOption('claude')
  await view.getByText('North').click()
  await view.locator('h1', { hasText: 'Sales 2023, North' }).waitFor()
  await page.getByRole('tab', { name: /For the model \(1\)/ }).click()
  await page.locator('[data-panel=given] summary').click()
  await page.locator('[data-panel=given] pre', { hasText: 'The user looks at the sales of 2023' }).waitFor()
  await save(page, 'dark')
  await page.locator('[name=args]').fill('{ year')
  await page.getByRole('button', { name: 'Call the tool' }).click()
  expect(await page.locator('[name=args]:invalid').count()).toBe(1)
  expect(errors).toEqual([])
  await page.close()
})

test('only the page itself reaches the server', async () => {
  const { origin } = new URL(preview.url)
  const call = (url: string, headers: Record<string, string>): Promise<Response> =>
    fetch(url, { method: 'POST', headers, body: '{"operation":"tools"}' })
  expect((await call(`${preview.url}rpc`, { origin })).status).toBe(200)
  expect((await call(`${preview.url}rpc`, { origin: 'https://evil.example.com' })).status).toBe(404)
  expect((await call(`${preview.url}rpc`, {})).status).toBe(405)
  expect((await call(`${origin}/rpc`, { origin })).status).toBe(404)
})
