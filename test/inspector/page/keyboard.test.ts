/** A call without a mouse, and the timeline by keyboard. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoServer, startDemoServer } from './support/demo-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'

let browser: Browser
let server: DemoServer
beforeAll(async () => {
  browser = await startBrowser()
  server = await startDemoServer()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () =>
      document.activeElement?.id ||
      document.activeElement?.getAttribute('aria-label') ||
      document.activeElement?.textContent ||
      '',
  )

/** Presses Tab until an element with this id, label or text has the focus. */
async function tabTo(page: Page, wanted: RegExp): Promise<void> {
  for (let count = 0; count < 150; count++) {
    if (wanted.test(await focused(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${wanted}`)
}

/** The outline of the element that has the focus. */
const outline = (page: Page): Promise<string> =>
  page.evaluate(() => (document.activeElement ? getComputedStyle(document.activeElement).outlineStyle : 'none'))

test('connects, calls a tool and reads its result without a mouse', async () => {
  const { page } = await openInspector(browser)
  await page.getByLabel('URL, command or file').waitFor()
  await tabTo(page, /^target$/)
  await page.keyboard.type(server.url)
  await page.getByText('Connects over HTTP to').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: /^Tools/, selected: true }).waitFor()
  // The palette finds the tool.
  await page.locator('.item-list .item').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.locator('[role=combobox]:focus').waitFor()
  await page.keyboard.type('add tool')
  await page.getByRole('option', { name: /^add/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'add', exact: true }).waitFor()
  await tabTo(page, /^tool-add-a$/)
  expect(await outline(page)).not.toBe('none')
  await page.keyboard.type('20')
  await tabTo(page, /^Call$/)
  expect(await outline(page)).not.toBe('none')
  await page.keyboard.press('Enter')
  await page.getByText('The sum is 21').waitFor()
  // The result is announced.
  await page.waitForFunction(() => /Done after/.test(document.querySelector('p[role=status]')?.textContent ?? ''))
  // Again, with the shortcut.
  await page.locator('#tool-add-a').focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('30')
  await page.keyboard.press('Control+Enter')
  await page.getByText('The sum is 31').waitFor()

  // The timeline: arrow keys choose a message, whose details appear.
  await tabTo(page, /^Messages$/)
  await page.keyboard.press('End')
  await page.getByRole('complementary', { name: 'Message' }).waitFor()
  const last = await page.locator('.row[aria-selected=true]').textContent()
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => page.locator('.row[aria-selected=true]').textContent()).not.toBe(last)
})

test('the tabs move by arrow keys', async () => {
  const { page } = await openInspector(browser, server.url)
  await page.locator('.server-item').first().click()
  await page.getByRole('tab', { name: /^Tools/ }).click()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name: /^Resources/, selected: true }).waitFor()
})
