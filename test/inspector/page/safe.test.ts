/** A hostile server does nothing to the page, and the page talks to nobody but its back end. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoServer, HOSTILE, startDemoServer } from './support/demo-server.ts'
import { openPage, type RunningInspector, startBrowser, startInspector } from './support/inspector.ts'

let browser: Browser
let server: DemoServer
let inspector: RunningInspector
beforeAll(async () => {
  browser = await startBrowser()
  server = await startDemoServer()
  inspector = await startInspector(server.url)
})
afterAll(async () => {
  await browser.close()
  await inspector.stop()
  await server.close()
})

const isHarmed = (page: Page): Promise<boolean> => page.evaluate(() => 'harmed' in globalThis)

test('scripts in text, SVG, Markdown and HTML run nothing and fetch nothing', async () => {
  const { page, faults } = await openPage(browser, inspector.link)
  await page.locator('.server-item').first().click()
  await page.getByRole('tab', { name: /^Tools/ }).click()
  await page.locator('.item-list .item', { hasText: 'hostile' }).click()
  // The description is text.
  await page.locator('.description', { hasText: HOSTILE.html.slice(0, 20) }).waitFor()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByRole('img', { name: 'From the server' }).waitFor()
  for (const button of await result.getByRole('button', { name: 'Markdown' }).all()) await button.click()
  const markdown = result.locator('.markdown')
  await markdown.getByRole('heading', { name: 'Title' }).waitFor()
  expect(await markdown.locator('img, script, style, svg, form, iframe, [onclick], [onerror], [style]').count()).toBe(0)
  expect(await markdown.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    'https://example.com/page',
  ])
  await markdown.getByText('<script>').first().waitFor()
  await markdown.getByText('https://example.com/page', { exact: true }).waitFor()
  // A page of an app is source.
  await result.getByText('The inspector shows its source and does not run it.').waitFor()
  expect(await page.locator('iframe, object, embed').count()).toBe(0)
  expect(await isHarmed(page)).toBe(false)
  expect(faults).toEqual([])

  expect(await result.locator('.hidden-character').allTextContents()).toEqual(['U+202E', 'U+200B'])
  await page.context().close()
})

test('the address never holds what a person typed or a secret', async () => {
  const second = await startInspector(server.url)
  const { page } = await openPage(browser, second.link)
  expect(page.url()).not.toContain('open/')
  await page.goto(`${second.origin}/#/connect`)
  await page.getByLabel('URL, command or file').fill('http://127.0.0.1:1/mcp?token=secret')
  await page.getByText('Connects over HTTP to').waitFor()
  expect(page.url()).not.toContain('secret')
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('secret')
  await page.context().close()
  await second.stop()
})

test('a link with a command starts nothing', async () => {
  const third = await startInspector()
  const { page } = await openPage(browser, third.link)
  await page.goto(`${third.origin}/?command=touch&args=/tmp/harm#/connect?command=touch`)
  await page.getByRole('heading', { name: 'Connect to a server' }).waitFor()
  expect(await page.locator('.server-item').count()).toBe(0)
  await page.context().close()
  await third.stop()
})

test('a failing connection shows the step that failed, what to do, and the timeline', async () => {
  const fourth = await startInspector()
  const { page } = await openPage(browser, fourth.link)
  await page.getByLabel('URL, command or file').fill('http://127.0.0.1:9/mcp')
  await page.keyboard.press('Enter')
  await page.locator('.connection-state', { hasText: 'Failed' }).waitFor()
  await page.locator('.timeline .row').first().waitFor()
  await page.getByRole('heading', { name: 'Doctor' }).waitFor()
  await page.context().close()
  await fourth.stop()
})

test('the link does not open the page a second time', async () => {
  // Another browser, because the first one has the cookie.
  const context = await browser.newContext()
  const page = await context.newPage()
  const response = await page.goto(inspector.link)
  expect(response?.status()).toBe(403)
  await page.goto(inspector.origin)
  expect(await page.locator('.server-item').count()).toBe(0)
  expect(await context.cookies()).toEqual([])
  await context.close()
})
