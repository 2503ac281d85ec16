/** The OAuth debugger on the page, with a server that checks the token: each step, then a connection with the token. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { createServer } from 'portcall'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openInspector, startBrowser } from './support/inspector.ts'
import { serveProtected } from './support/protected-server.ts'
import { createServerPage } from './support/server-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** Starts a server whose tools need an access token. Returns its URL. */
function startProtected(): Promise<string> {
  const server = createServer({ name: 'notes', version: '1' }).tool('whoami', {}, (_input: object, call) =>
    String(call.auth?.subject ?? call.auth?.principal),
  )
  return serveProtected(server)
}

/** Opens the address of the authorization server, as the user does. */
async function signIn(page: Page): Promise<void> {
  const address = await page.locator('.callout .address-text').textContent()
  const tab = await page.context().newPage()
  await tab.goto(address?.trim() ?? '')
  await tab.close()
  await page.bringToFront()
}

test('a sign-in step by step, its token in a call, and a new token', async () => {
  const url = await startProtected()
  const { page, origin } = await openInspector(browser)
  const use = createServerPage(page)
  await page.goto(`${origin}/#/connect`)
  await page.getByLabel('URL, command or file').fill(url)
  await page.getByText('Connects over HTTP to').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Sign in to the server' }).waitFor()
  await use.screen('Auth')
  await page.getByRole('button', { name: 'Step by step' }).click()
  const steps = page.getByRole('list', { name: 'Steps' })
  const next = page.getByRole('button', { name: /^Next/ })
  const signInButtons = page.getByRole('button', { name: 'Open the sign-in page' })
  const token = page.getByRole('button', { name: 'Use the token' })
  const pauses: string[] = []
  for (;;) {
    await expect.poll(async () => (await next.isEnabled()) || (await token.isEnabled()) || (await isWaiting(page))).toBe(true)
    if (await token.isEnabled()) break
    if (await isWaiting(page)) {
      expect(await signInButtons.count()).toBe(1)
      await signIn(page)
      await expect.poll(() => isWaiting(page)).toBe(false)
    } else {
      pauses.push((await next.textContent()) ?? '')
      await next.click()
      await expect.poll(async () => (await next.textContent()) !== pauses.at(-1) || (await token.isEnabled())).toBe(true)
    }
  }
  expect(pauses.length).toBeGreaterThanOrEqual(5)
  expect(await steps.locator('.verdict.failed').count()).toBe(0)
  for (const step of ['Challenge', 'Token', 'Call'])
    await steps
      .getByRole('button', { name: new RegExp(step, 'i') })
      .first()
      .click()

  await steps.getByRole('button', { name: 'Token request' }).click()
  const detail = page.locator('.flow-detail')
  await detail.getByText('Claims of the access_token').waitFor()
  expect(await detail.innerText()).not.toMatch(/eyJ[\w-]{8,}\.[\w-]+\./)
  const hidden = detail.getByRole('button', { name: 'Show the secret' })
  for (let count = await hidden.count(); count > 0; count--) {
    await hidden.first().click()
    await expect.poll(() => hidden.count()).toBe(count - 1)
  }
  const shown = await detail.getByRole('button', { name: 'Hide the secret' }).allTextContents()
  const secrets = shown.map((text) => text.replace('Hide the secret', '').trim())
  expect(secrets).toContainEqual(expect.stringMatching(/^eyJ[\w-]{8,}\.[\w-]+\./))
  await page.getByRole('button', { name: 'More' }).click()
  const item = page.getByRole('menuitem', { name: 'Export without secrets' })
  const [file] = await Promise.all([page.waitForEvent('download'), item.click()])
  const exported = readFileSync(await file.path(), 'utf8')
  expect(exported).toContain('oauth-flow')
  for (const secret of secrets) expect(exported).not.toContain(secret)

  await token.click()
  await use.callToEnd({ tool: 'whoami', shows: 'user' })

  await use.screen('Auth')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Refresh the token' }).click()
  await steps.getByRole('button', { name: /refresh/i }).waitFor()
  await page.getByRole('button', { name: 'Run to the end' }).click()
  await expect.poll(() => token.isEnabled()).toBe(true)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Request more scopes' }).click()
  const stepUp = steps.getByRole('button', { name: 'Step-up' })
  await stepUp.waitFor()
  await expect.poll(async () => (await isWaiting(page)) || (await token.isEnabled())).toBe(true)
  if (await isWaiting(page)) await signIn(page)
  await expect.poll(() => token.isEnabled()).toBe(true)
  await stepUp.click()
  expect(await page.locator('.oauth-checks li').count()).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Revoke the tokens' }).click()
  await page.getByText('No flow yet').waitFor()
})

const isWaiting = (page: Page): Promise<boolean> => page.getByText('Sign in to continue').isVisible()
