/** Information that the page shows at once, and information that it shows on demand. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { createServer } from 'portcall'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveFixture } from '../support/fixture-server.ts'
import { openInspector, startBrowser } from './support/inspector.ts'
import { connectTo, createServerPage, type ServerPage } from './support/server-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** A server with a tool that reports its progress and waits, and a tool that `portcall check` has advice for. */
function createQuietServer(): { server: ReturnType<typeof createServer>; finish: () => void } {
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  const server = createServer({ name: 'quiet', version: '1' })
  server.tool('slow', { description: 'Takes a while' }, async (_, call) => {
    for (const step of [1, 2]) await call.progress(step, 5, `step ${step}`)
    await finished
    return 'done'
  })
  server.tool('plain', {}, () => 'plain')
  server.resource('note://one', { name: 'one' }, () => 'the first note')
  return { server, finish }
}

async function open(): Promise<ServerPage & { origin: string; finish: () => void }> {
  const { server, finish } = createQuietServer()
  const { page, origin } = await openInspector(browser, await serveFixture(server))
  return { ...createServerPage(page), origin, finish }
}

test('a call that runs is seen at its button, and its progress in the timeline', async () => {
  const { page, call, finish, result } = await open()
  await call({ tool: 'slow' })
  const bar = page.locator('.call-bar')
  await bar.getByText('2 of 5').waitFor()
  await bar.getByRole('button', { name: 'Stop the call' }).waitFor()
  const rows = page.locator('.timeline .row', { hasText: 'notifications/progress' })
  await rows.filter({ hasText: '2 of 5 step 2' }).waitFor()
  // Rows below their request have a line, whatever the row showed before.
  for (const row of await rows.locator('.row-main').all())
    expect(await row.evaluate((element) => getComputedStyle(element).borderLeftWidth)).toBe('2px')
  finish()
  await result.getByText('done').first().waitFor()
  expect(await bar.getByRole('button', { name: 'Stop the call' }).count()).toBe(0)
})

test('advice for the author of the server is behind its count, below the form', async () => {
  const { page, choose } = await open()
  await choose('Tools', 'plain')
  const advice = page.locator('.detail details', { hasText: 'Advice for the author of the server' })
  await advice.waitFor()
  expect(await advice.getByText('no description').isVisible()).toBe(false)
  const [form, folded] = [await page.locator('.call-bar').boundingBox(), await advice.boundingBox()]
  expect(folded?.y).toBeGreaterThan(form?.y ?? Number.POSITIVE_INFINITY)
  await advice.locator('summary').click()
  await advice.getByText('no description').waitFor()
})

test('a resource is read when it is selected, and not again when one comes back to it', async () => {
  const { page, choose, result } = await open()
  await choose('Resources', 'one')
  await result.getByText('the first note').waitFor()
  await choose('Tools', 'plain')
  await choose('Resources', 'one')
  await result.getByText('the first note').waitFor()
  expect(await page.locator('.timeline .row', { hasText: 'resources/read' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Read again' }).click()
  await expect.poll(() => page.locator('.timeline .row', { hasText: 'resources/read' }).count()).toBe(2)
})

test('a message closes when another server is shown, and has room', async () => {
  const { page, openMessage, origin } = await open()
  const drawer = await openMessage('tools/list')
  const height = (await drawer.boundingBox())?.height ?? 0
  expect(height).toBeGreaterThan(300)
  const program = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url))
  await connectTo(page, origin, {}, `${process.execPath} ${program}`)
  await drawer.waitFor({ state: 'detached' })
})

test('the timeline shows the messages of a new call, also after one has looked at earlier ones', async () => {
  const { page, openMessage, call, finish } = await open()
  const drawer = await openMessage('tools/list')
  await drawer.getByRole('button', { name: 'Close the message' }).click()
  await call({ tool: 'slow' })
  for (const text of ['tools/call', '1 of 5', '2 of 5'])
    await expect.poll(() => page.locator('.timeline .row', { hasText: text }).isVisible()).toBe(true)
  finish()
})

test('a program has no sign-in, and the screen says so', async () => {
  const program = fileURLToPath(new URL('../fixtures/server.mjs', import.meta.url))
  const { page, origin } = await openInspector(browser)
  const use = await connectTo(page, origin, {}, `${process.execPath} ${program}`)
  await use.screen('Auth')
  await page.getByText('This server has no sign-in').waitFor()
  expect(await page.getByLabel('URL of the MCP server').isVisible()).toBe(false)
})

test('levels of logs are in words', async () => {
  const { page, screen } = await open()
  await screen('Logs')
  expect(await page.getByLabel('Show', { exact: true }).locator('option').allInnerTexts()).toContain('warning and above')
})
