/** Suggestions of a server while a person types: asked for after a pause, and dropped when they come too late. */
import type { Browser } from 'playwright-core'
import { createServer } from 'portcall'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { serveFixture } from '../support/fixture-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'
import { createServerPage } from './support/server-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

test.each(['2026-07-28', '2025-11-25'])('%s', async (revision) => {
  const asked: string[] = []
  let respond = (): void => {}
  const slow = new Promise<void>((resolve) => {
    respond = resolve
  })
  const server = createServer({ name: 'travel', version: '1' })
  server.prompt(
    'plan',
    {
      arguments: z.object({ city: z.string() }),
      complete: {
        async city(typed) {
          asked.push(typed)
          if (typed === 'a') await slow
          return [`${typed}-town`]
        },
      },
    },
    ({ city }) => `Plan ${city}`,
  )
  const { page } = await openInspector(browser, '--protocol-version', revision, await serveFixture(server))
  await createServerPage(page).choose('Prompts', 'plan')
  const city = page.getByRole('combobox', { name: /^city/ })
  const options = () => page.getByRole('listbox', { name: 'Suggestions for city' }).getByRole('option').allTextContents()

  await city.fill('a')
  await expect.poll(() => asked).toContain('a')
  await city.fill('al')
  await expect.poll(options).toEqual(['al-town'])
  respond()
  await city.fill('alp')
  await expect.poll(options).toEqual(['alp-town'])

  // Typed at once, so without a pause.
  await city.evaluate((input: HTMLInputElement) => {
    for (const text of ['b', 'be', 'ber']) {
      input.value = text
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }
  })
  await expect.poll(options).toEqual(['ber-town'])
  expect(asked.filter((typed) => typed.startsWith('b'))).toEqual(['ber'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  expect(await city.inputValue()).toBe('ber-town')
})
