/** 50,000 messages: they scroll, filter and keep coming without holding up the page. */
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MessageEntry } from '../../../packages/portcall/src/inspector/protocol/timeline.ts'
import { openPage, startBrowser } from './support/inspector.ts'
import { type SampleBackend, startSampleBackend } from './support/sample-backend.ts'
import { sampleState } from './support/sample-state.ts'

const PAGE = fileURLToPath(new URL('../../../packages/portcall/dist/inspector/page', import.meta.url))
const COUNT = 50_000
/** Longer tasks are felt. The machine of a test may be ten times as slow as a person's, and share its processors. */
const LONG_TASK_MS = 50
const SLACK = 10

const START = Date.UTC(2026, 10, 24)

const entry = (id: number): MessageEntry => ({
  type: 'message',
  id,
  seq: id,
  serverId: 's1',
  time: START + id,
  direction: 'out',
  messageKind: id % 2 ? 'request' : 'response',
  method: 'tools/call',
  subject: `tool_${id % 97}`,
  pairId: id % 2 ? id + 1 : id - 1,
  bytes: 400,
  durationMs: 5,
  text: `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"tool_${id % 97}"}}`,
  isTruncated: false,
  ...(id % 2 && { state: 'answered' as const }),
})

let browser: Browser
let backend: SampleBackend
beforeAll(async () => {
  browser = await startBrowser()
  const entries = Array.from({ length: COUNT }, (_, index) => entry(index + 1))
  const state = sampleState({ hasQuestions: false })
  backend = await startSampleBackend({
    page: PAGE,
    state: { ...state, timeline: { limit: COUNT, size: COUNT, firstId: 1, dropped: 0, paused: false } },
    entries,
  })
})
afterAll(async () => {
  await browser.close()
  await backend.close()
})

test('scrolling, filtering and new messages take no long tasks', async () => {
  const { page, faults } = await openPage(browser, `${backend.url}#/s1/logs`)
  await page.getByText('25,000 messages').waitFor()
  // What the first load leaves behind is not part of it.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { longTasks: tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ['longtask'],
    })
  })
  const list = page.getByRole('listbox', { name: 'Messages' })
  const rowsInPage = await list.locator('.row').count()
  expect(rowsInPage).toBeLessThan(100)
  await list.evaluate(async (element) => {
    for (let step = 0; step < 120; step++) {
      element.scrollTop = (element.scrollHeight / 120) * step
      await new Promise(requestAnimationFrame)
    }
  })
  const whileScrolling = await page.evaluate(() => Math.max(0, ...(globalThis as unknown as { longTasks: number[] }).longTasks))
  await page.getByLabel('Filter the timeline').fill('tool_42')
  await page.getByText(/^\d+ shown$/).waitFor()
  await page.getByLabel('Filter the timeline').fill('')
  await page.getByText('25,000 messages').waitFor()
  for (let batch = 0; batch < 20; batch++) {
    backend.send({ type: 'entries', entries: [entry(COUNT + 2 * batch + 1), entry(COUNT + 2 * batch + 2)] })
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await page.getByText('25,020 messages').waitFor()
  const longest = await page.evaluate(() => Math.max(0, ...(globalThis as unknown as { longTasks: number[] }).longTasks))
  console.log(
    `longest task while scrolling ${Math.round(whileScrolling)} ms, in all ${Math.round(longest)} ms, ${rowsInPage} rows in the page`,
  )
  expect(whileScrolling).toBeLessThan(LONG_TASK_MS * SLACK)
  expect(longest).toBeLessThan(LONG_TASK_MS * SLACK)
  expect(faults).toEqual([])
  await page.context().close()
})

test('the oldest are dropped by the limit that is shown', async () => {
  const { page } = await openPage(browser, `${backend.url}#/s1/logs`)
  await page
    .getByText(/messages$/)
    .first()
    .waitFor()
  backend.send({ type: 'timeline', timeline: { limit: COUNT, size: 40_000, firstId: 10_041, dropped: 10_040, paused: false } })
  await page.getByText(/10,040 dropped/).waitFor()
  await page.context().close()
})
