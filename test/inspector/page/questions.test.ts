/** Questions of servers on the page: several at the same time, one after the other, and those that come too late. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Browser, Locator } from 'playwright-core'
import { serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createMemoServer } from '../fixtures/memo-server.mjs'
import { openInspector, startBrowser } from './support/inspector.ts'
import { connectTo, type ServerPage } from './support/server-page.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const programOf = (path: string) => async (): Promise<string> => `${process.execPath} ${at(path)}`

let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

async function open(target: string, revision: string): Promise<ServerPage> {
  const { page, origin } = await openInspector(browser)
  return connectTo(page, origin, { revision }, target)
}

/** The open questions that contain a text. */
const questions = ({ page }: ServerPage, text: string): Locator =>
  page.getByRole('region', { name: 'The server asks for input' }).filter({ hasText: text })

async function serveMemo(): Promise<string> {
  const { url, close } = await serve(createMemoServer(), { port: 0, handleProcessSignals: false })
  onTestFinished(() => close())
  return url
}

const SERVERS: readonly (readonly [string, string, () => Promise<string>])[] = [
  ['2026-07-28', 'HTTP', serveMemo],
  ['2025-11-25', 'HTTP', serveMemo],
  ['2025-06-18', 'stdio', programOf('../fixtures/memo-server.mjs')],
]

describe.each(SERVERS)('%s over %s', (revision, _transport, start) => {
  test('a call asks twice, two at once, and two calls ask at the same time', async () => {
    const use = await open(await start(), revision)
    await use.call({ tool: 'twice' })
    await use.answer(questions(use, 'Which city?'), { city: 'Oslo' })
    await use.answer(questions(use, 'Which street in Oslo?'), { street: 'Storgata' })
    await use.result.getByText('Storgata, Oslo').waitFor()

    await use.call({ tool: 'both' })
    await questions(use, 'The left one?').waitFor()
    await use.answer(questions(use, 'The right one?'), { right: 'moon' })
    await use.answer(questions(use, 'The left one?'), { left: 'sun' })
    await use.result.getByText('sun and moon').waitFor()

    await use.call({ tool: 'echo_asked', fill: { tag: 'first' } })
    await questions(use, 'A word for first?').waitFor()
    await use.call({ tool: 'echo_asked', fill: { tag: 'second' } })
    await questions(use, 'A word for second?').waitFor()
    const away = use.page.getByRole('region', { name: 'Questions of the server' })
    await away.getByRole('button', { name: 'Answer' }).click()
    await use.answer(questions(use, 'A word for first?'), { word: 'one' })
    await away.waitFor({ state: 'detached' })
    await use.answer(questions(use, 'A word for second?'), { word: 'two' })
    await use.result.getByText('second: two').waitFor()
    await use.page.getByLabel('Filter the timeline').fill('first: one')
    await use.message('tools/call')
  })

  test('the question of a call that is cancelled is withdrawn, with a note', async () => {
    const use = await open(await start(), revision)
    await use.call({ tool: 'echo_asked', fill: { tag: 'gone' } })
    await questions(use, 'A word for gone?').waitFor()
    await use.result.getByRole('button', { name: 'Cancel', exact: true }).first().click()
    await use.result.getByText('cancelled', { exact: true }).waitFor()
    await use.page.getByText('The server no longer waits for the answer.').waitFor()
    expect(await questions(use, 'A word for gone?').count()).toBe(0)
  })
})

test('a question that comes after its call was cancelled is shown, and its answer is sent', async () => {
  const use = await open(await programOf('../fixtures/asking.mjs')(), '2025-11-25')
  await use.call({ tool: 'late' })
  await use.result.getByRole('button', { name: 'Cancel', exact: true }).click()
  await questions(use, 'For undefined?').getByRole('button', { name: 'Decline' }).click()
  await questions(use, 'For undefined?').waitFor({ state: 'detached' })
  await use.page.getByLabel('Filter the timeline').fill('decline')
  await use.message('elicitation/create')
})
