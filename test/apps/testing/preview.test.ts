/** `servePreview`, in Chromium: the inspector at a view. */
import { type Preview, servePreview } from 'portcall/apps/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { server } from '../../../examples/apps/sales.ts'
import { useChromium } from '../view/support/browser.ts'

const { browser } = useChromium()
let preview: Preview
beforeAll(async () => {
  preview = await servePreview({ server, args: { year: 2023 }, profile: 'vscode', theme: 'dark', locale: 'de-DE' })
})
afterAll(() => preview?.close())

test('opens the inspector at the first view, in the host that is named, and calls its tool', async () => {
  const page = await browser().newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(preview.url)
  const view = page.frameLocator('.view-frame iframe').frameLocator('iframe')
  await view.locator('h1', { hasText: 'Sales 2023' }).waitFor()
  expect(await page.locator('.view-frame').evaluate((element) => element.clientWidth)).toBe(494)
  expect(await page.getByLabel('Host').inputValue()).toBe('vscode')
  expect(await page.getByLabel('Language').inputValue()).toBe('de-DE')
  await expect.poll(() => view.locator('html').evaluate((root) => getComputedStyle(root).colorScheme)).toBe('dark')
  await page.close()
})

test('refuses the option of earlier versions with advice', async () => {
  await expect(servePreview({ client: {} } as never)).rejects.toThrow(/Use "server"/)
})
