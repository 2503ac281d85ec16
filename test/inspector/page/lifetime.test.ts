/** When the page and its programs start and end, and the page inside a development server. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { inspectorHandler, serveInspector } from 'portcall/inspector'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createMemoServer } from '../fixtures/memo-server.mjs'
import { serveFixture } from '../support/fixture-server.ts'
import { serveHttp } from '../support/raw-server.ts'
import { addAndConnect, command } from './support/backend.ts'
import { openInspector, openPage, openPageOf, startBrowser, startInspector } from './support/inspector.ts'
import { createServerPage } from './support/server-page.ts'

const MEMO = fileURLToPath(new URL('../fixtures/memo-server.mjs', import.meta.url))
const GRACE_MS = 500
const PROGRAM = { kind: 'program', command: process.execPath, args: [MEMO] } as const

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Starts a program from the page. Returns its process id. */
async function startProgram(page: Page): Promise<number> {
  const serverId = await addAndConnect(page, PROGRAM)
  const pid = async () => (await command(page, 'get-state', {})).servers.find(({ id }) => id === serverId)?.pid
  await expect.poll(pid).toBeDefined()
  return Number(await pid())
}

test('programs end some time after the last page is closed, but not while one is reloaded', async () => {
  const inspector = await serveInspector({ info: { name: 'test', version: '0' }, graceMs: GRACE_MS })
  onTestFinished(() => inspector.close())
  const { page } = await openPage(browser, inspector.newLink())
  const pid = await startProgram(page)
  await page.reload()
  await page.locator('.server-item').first().waitFor()
  await page.waitForTimeout(2 * GRACE_MS)
  expect(isRunning(pid)).toBe(true)
  await page.context().close()
  await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
})

test('Ctrl-C leaves no program behind', async () => {
  const inspector = await startInspector()
  const { page } = await openPage(browser, inspector.link)
  onTestFinished(() => page.context().close())
  const pid = await startProgram(page)
  expect(isRunning(pid)).toBe(true)
  await inspector.stop('SIGINT')
  expect(isRunning(pid)).toBe(false)
})

test('the editor is loaded when it is first needed', async () => {
  const { page } = await openInspector(browser, await serveFixture(createMemoServer()))
  const use = createServerPage(page)
  await use.choose('Tools', 'add')
  const scripts = (): Promise<string[]> =>
    page.evaluate(() => performance.getEntriesByType('resource').flatMap(({ name }) => (name.endsWith('.js') ? [name] : [])))
  const before = await scripts()
  await page.getByRole('tab', { name: 'JSON' }).click()
  await page.locator('.cm-content').waitFor()
  const later = (await scripts()).filter((name) => !before.includes(name))
  expect(later).not.toEqual([])
})

test('a development server has the page, connected to itself', async () => {
  const handler = inspectorHandler(createMemoServer())
  const { port, close } = await serveHttp(handler)
  const link = handler.link(`http://127.0.0.1:${port}`)
  const stop = async (): Promise<void> => {
    await handler.close()
    await close()
  }
  const page = await openPageOf(browser, { link, stop })
  const use = createServerPage(page)
  await use.callToEnd({ tool: 'add', fill: { a: '40', b: '2' }, shows: '42' })
  expect(new URL(page.url()).pathname).toBe('/inspector/')
})
