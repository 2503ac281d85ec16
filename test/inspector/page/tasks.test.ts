/** Tasks on the page, beyond a call that waits for one: started without waiting, cancelled, expired, and after a restart of the inspector. */
import { rmSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { createServer } from 'portcall'
import { tasks } from 'portcall/tasks'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { serveFixture } from '../support/fixture-server.ts'
import { createHome, openInspector, openPageOf, startBrowser, startInspectorIn } from './support/inspector.ts'
import { createServerPage } from './support/server-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

/** Starts a server whose tools run as tasks. Returns its URL. */
function startPrinter(): Promise<string> {
  const server = createServer({ name: 'printer', version: '1' }, { extensions: [tasks({ limits: { maxClockSkewMs: 0 } })] })
  server.tool('print', { task: 'required' }, async (_, call) => {
    const { color } = await call.elicit('Which color?', z.object({ color: z.enum(['red', 'blue']) }))
    return `Printed in ${color}`
  })
  server.tool(
    'wait',
    { task: 'required' },
    (_, call) =>
      new Promise<string>((_resolve, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason))),
  )
  server.tool('brief', { task: { support: 'required', ttlMs: 200 } }, () => 'done')
  return serveFixture(server)
}

describe.each(['2026-07-28', '2025-11-25'])('%s', (revision) => {
  test('a task that is cancelled is shown as cancelled', async () => {
    const { page } = await openInspector(browser, '--protocol-version', revision, await startPrinter())
    const use = createServerPage(page)
    await use.startTask('wait')
    const cancel = page.getByRole('button', { name: 'Cancel the task' })
    await cancel.click()
    await use.message('tasks/cancel')
    await page.locator('.detail-title .badge', { hasText: 'cancelled' }).waitFor()
    expect(await cancel.isDisabled()).toBe(true)
  })

  test('a task that has expired is shown as expired, with its last state', async () => {
    const { page } = await openInspector(browser, '--protocol-version', revision, await startPrinter())
    const use = createServerPage(page)
    await use.startTask('brief')
    const expired = page.locator('.detail-title .badge', { hasText: 'expired' })
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Fetch the state' }).click()
        return expired.count()
      })
      .toBe(1)
    await page.getByText('The server does not have this task any more.').waitFor()
    await page.getByText('Kept for').waitFor()
    for (const name of ['Wait for the result', 'Cancel the task'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
  })

  test('a task is still usable after the inspector was restarted', async () => {
    const home = createHome()
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
    const url = await startPrinter()
    const first = await startInspectorIn(home, '--protocol-version', revision, url)
    const before = createServerPage(await openPageOf(browser, { ...first, stop: async () => {} }))
    await before.startTask('print')
    await before.page.close()
    await first.stop()

    const page = await openPageOf(browser, await startInspectorIn(home, '--protocol-version', revision, url))
    const use = createServerPage(page)
    await use.choose('Tasks', 'print')
    await page.getByRole('button', { name: 'Wait for the result' }).click()
    await use.answer(page.getByRole('region', { name: 'The server asks for input' }), { color: 'blue' })
    await use.result.getByText('Printed in blue').first().waitFor()
    await page.getByRole('button', { name: 'Fetch the state' }).click()
    await page.locator('.detail-title .badge', { hasText: 'completed' }).waitFor()
  })
})
