/** 50,000 messages: they scroll, filter and keep coming as fast as 500 do. */
import { fileURLToPath } from 'node:url'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MessageEntry } from '../../../packages/portcall/src/inspector/protocol/timeline.ts'
import { openPage, startBrowser } from './support/inspector.ts'
import { type SampleBackend, startSampleBackend } from './support/sample-backend.ts'
import { sampleState } from './support/sample-state.ts'

const PAGE = fileURLToPath(new URL('../../../packages/portcall/dist/inspector/page', import.meta.url))
const FEW = 500
const MANY = 50_000
const FRAMES = 120
const BATCHES = 20
/** Of the CPU time of a frame, which a machine with other work does not change much. */
const MOST_RATIO = 2
const ROUNDS = 3
const MOST_ROUNDS = 5
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

const entriesOf = (count: number): MessageEntry[] => Array.from({ length: count }, (_, index) => entry(index + 1))

async function startBackend(count: number): Promise<SampleBackend> {
  const state = sampleState({ hasQuestions: false })
  const timeline = { limit: MANY, size: count, firstId: 1, dropped: 0, paused: false }
  return startSampleBackend({ page: PAGE, state: { ...state, timeline }, entries: entriesOf(count) })
}

let browser: Browser
let few: SampleBackend
let many: SampleBackend
beforeAll(async () => {
  browser = await startBrowser()
  ;[few, many] = await Promise.all([startBackend(FEW), startBackend(MANY)])
})
afterAll(async () => {
  await browser.close()
  await Promise.all([few.close(), many.close()])
})

const messages = (count: number): string => `${(count / 2).toLocaleString('en-US')} messages`

/** A page with the timeline of a back end. */
interface Timeline {
  readonly page: Page
  readonly backend: SampleBackend
  /** How many entries it has. */
  count: number
  /** Returns the milliseconds of CPU time that the page's main thread takes meanwhile. */
  cpuMs(act: () => Promise<unknown>): Promise<number>
}

async function openTimeline(backend: SampleBackend, count: number): Promise<Timeline> {
  const { page } = await openPage(browser, `${backend.url}#/s1/logs`)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  await page.getByText(messages(count)).waitFor()
  // What the first load leaves behind is not part of it.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  return {
    page,
    backend,
    count,
    async cpuMs(act) {
      const before = await threadMs(cdp)
      await act()
      return (await threadMs(cdp)) - before
    },
  }
}

async function threadMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN)
}

/** Scrolls so far in each frame that other rows are in sight. Returns how many elements were created for them. */
const scroll = ({ page }: Timeline): Promise<number> =>
  page.getByRole('listbox', { name: 'Messages' }).evaluate(async (element, frames) => {
    const scrollTo = async (step: number): Promise<void> => {
      element.scrollTop = (element.scrollHeight / 3) * (step % 3) + step
      await new Promise(requestAnimationFrame)
    }
    for (let step = 0; step < 3; step++) await scrollTo(step)
    const known = new Set(element.querySelectorAll('.virtual-row'))
    for (let step = 3; step < frames; step++) {
      await scrollTo(step)
      for (const row of element.querySelectorAll('.virtual-row')) known.add(row)
    }
    return known.size - element.querySelectorAll('.virtual-row').length
  }, FRAMES)

/** Sends messages one after the other, and waits until they are shown. */
async function stream(timeline: Timeline): Promise<void> {
  const { backend, page } = timeline
  for (let batch = 0; batch < BATCHES; batch++) {
    backend.send({ type: 'entries', entries: [entry(timeline.count + 1), entry(timeline.count + 2)] })
    timeline.count += 2
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  await page.getByText(messages(timeline.count)).waitFor()
}

/** Returns the smallest of several ratios of CPU time, because noise only adds to it. */
async function leastRatio(
  timelines: readonly [Timeline, Timeline],
  act: (timeline: Timeline) => Promise<unknown>,
): Promise<number> {
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [fewMs, manyMs] = [await timelines[0].cpuMs(() => act(timelines[0])), await timelines[1].cpuMs(() => act(timelines[1]))]
    ratios.push(manyMs / fewMs)
  }
  return Math.min(...ratios)
}

test('scrolling and new messages cost the same among 50,000 messages as among 500', async () => {
  const timelines = [await openTimeline(few, FEW), await openTimeline(many, MANY)] as const
  const rows = await Promise.all(timelines.map(({ page }) => page.locator('.timeline .row').count()))
  expect(rows[1]).toBe(rows[0])
  expect(rows[1]).toBeLessThan(60)
  for (const timeline of timelines) expect(await scroll(timeline), 'rows that were created while scrolling').toBe(0)
  const scrolling = await leastRatio(timelines, scroll)
  const streaming = await leastRatio(timelines, stream)
  console.log(`CPU time among 50,000 to that among 500: scrolling ${scrolling.toFixed(2)}, new messages ${streaming.toFixed(2)}`)
  expect(scrolling).toBeLessThan(MOST_RATIO)
  expect(streaming).toBeLessThan(MOST_RATIO)
  for (const { page } of timelines) await page.context().close()
})

/** Collects the milliseconds of the tasks that are long enough to be felt. */
const watchLongTasks = ({ page }: Timeline): Promise<void> =>
  page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { longTasks: tasks })
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    observer.observe({ entryTypes: ['longtask'] })
  })

/** Returns the milliseconds of the longest of them since the last call, or 0. */
const longestTask = ({ page }: Timeline): Promise<number> =>
  page.evaluate(() => Math.max(0, ...(globalThis as unknown as { longTasks: number[] }).longTasks.splice(0)))

test('no task is longer than 50 ms while 50,000 messages scroll', async () => {
  const timeline = await openTimeline(many, MANY)
  await watchLongTasks(timeline)
  // Other programs make tasks longer, never shorter: one round without a long task is enough.
  const longest: number[] = []
  for (let round = 0; round < MOST_ROUNDS && (longest.at(-1) ?? LONG_TASK_MS) >= LONG_TASK_MS; round++) {
    await scroll(timeline)
    longest.push(await longestTask(timeline))
  }
  console.log(
    `longest task while scrolling, by round: ${longest.map((ms) => (ms === 0 ? 'below 50' : Math.round(ms))).join(', ')} ms`,
  )
  expect(longest.at(-1)).toBeLessThan(LONG_TASK_MS)
  await timeline.page.context().close()
})

test('a filter looks at 50,000 messages in slices', async () => {
  const timeline = await openTimeline(many, MANY)
  const { page, count } = timeline
  await watchLongTasks(timeline)
  await page.getByLabel('Filter the timeline').fill('tool_42')
  await page.getByText(/^\d+ shown$/).waitFor()
  await page.getByLabel('Filter the timeline').fill('')
  await page.getByText(messages(count)).waitFor()
  const longest = await longestTask(timeline)
  console.log(`longest task while filtering: ${Math.round(longest)} ms`)
  expect(longest).toBeLessThan(LONG_TASK_MS * SLACK)
  await page.context().close()
})

test('the oldest are dropped by the limit that is shown', async () => {
  const { page } = await openPage(browser, `${many.url}#/s1/logs`)
  await page
    .getByText(/messages$/)
    .first()
    .waitFor()
  many.send({ type: 'timeline', timeline: { limit: MANY, size: 40_000, firstId: 10_041, dropped: 10_040, paused: false } })
  await page.getByText(/10,040 dropped/).waitFor()
  await page.context().close()
})
