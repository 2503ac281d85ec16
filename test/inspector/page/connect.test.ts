/** Settings of a connection, made on the page, and what the server sees of them. */
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { oldServer, serveHttp } from '../support/raw-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'
import { createServerPage } from './support/server-page.ts'

const MEMO = fileURLToPath(new URL('../fixtures/memo-server.mjs', import.meta.url))

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

test('a wrong revision names that of the server; headers, capabilities and timeouts that are edited take effect', async () => {
  const teams: unknown[] = []
  const declared: string[][] = []
  const handler = oldServer({
    results: { 'tools/call': 'hang' },
    intercept({ headers }, _response, { method, params }) {
      if (method !== 'initialize') return false
      teams.push(headers.team)
      declared.push(Object.keys((params as { capabilities: object }).capabilities))
      return false
    },
  })
  const { port, close } = await serveHttp(handler)
  onTestFinished(close)
  const { page, origin } = await openInspector(browser)
  await page.goto(`${origin}/#/connect`)
  await page.getByLabel('URL, command or file').fill(`http://127.0.0.1:${port}/mcp`)
  await page.getByText('Connects over HTTP to').waitFor()
  await page.locator('summary', { hasText: 'Advanced' }).click()
  await page.locator('#connect-revision').selectOption('2024-11-05')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByText('The server offers 2025-06-18').waitFor()
  await page.locator('.connection-state', { hasText: 'Failed' }).waitFor()

  const settings = page.locator('form', { has: page.getByRole('heading', { name: 'Settings' }) })
  await settings.getByLabel('Protocol revision').selectOption('')
  await settings.getByRole('button', { name: 'Add a header' }).click()
  await settings.getByLabel('Name of header 1').fill('Team')
  await settings.getByLabel('Value of header 1').fill('blue')
  await settings.getByLabel('Sampling').uncheck()
  await settings.getByLabel('Request', { exact: true }).fill('300')
  await settings.getByRole('button', { name: 'Apply and reconnect' }).click()
  await page.getByRole('tab', { name: /^Tools/, selected: true }).waitFor()
  expect(teams.at(-1)).toBe('blue')
  expect(declared[0]).toContain('sampling')
  expect(declared.at(-1)).toEqual(expect.arrayContaining(['elicitation', 'roots']))
  expect(declared.at(-1)).not.toContain('sampling')

  const use = createServerPage(page)
  await use.call({ tool: 'search' })
  await use.result
    .getByText(/300 ms|timed out|no response/i)
    .first()
    .waitFor()
})

test('a program gets the environment and the directory of its settings; what it writes to stderr is under Logs', async () => {
  const { page, origin } = await openInspector(browser)
  const directory = realpathSync(tmpdir())
  await page.goto(`${origin}/#/connect`)
  await page.getByLabel('URL, command or file').fill(`${process.execPath} ${MEMO}`)
  await page.getByText('Starts this program').waitFor()
  await page.locator('summary', { hasText: 'Advanced' }).click()
  await page.getByRole('button', { name: 'Add a variable' }).click()
  await page.getByLabel('Name of variable 1').fill('TEAM')
  await page.getByLabel('Value of variable 1').fill('blue')
  await page.getByLabel('Working directory').fill(directory)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const use = createServerPage(page)
  await use.callToEnd({ tool: 'surroundings', shows: `blue in ${directory}` })
  await use.screen('Logs')
  await page.locator('.log-line', { hasText: 'Started for team blue' }).getByText('stderr').waitFor()
  await use.screen('Connection')
  await page.getByText('The server answered server/discover as one of the newest revision, 2026-07-28, does.').waitFor()
  await page.locator('.probe-steps li', { hasText: 'server/discover' }).locator('.badge', { hasText: 'yes' }).waitFor()
})
