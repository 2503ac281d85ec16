/** A view in the test host: what happened, and what can be done with it. */
import { delay, withTimeout } from '../../../../util/src/timers.ts'
import type { AppEvent, AppUpdate } from '../../apps/host/types.ts'
import type { PlaywrightContext, PlaywrightFrame, PlaywrightPage, ViewFrame } from '../browser/playwright.ts'
import type { CspViolation } from '../server/violations.ts'
import { callPage } from './call-page.ts'
import { STUCK_VIEW, type ViewFailure, type ViewMessage, type ViewSize } from './measures.ts'
import type { Recorder } from './record.ts'

/** A view that is shown, or could not be. */
export interface TestedView {
  /** The reason why there is no view. Absent if it is shown. */
  readonly failure: ViewFailure | undefined
  /** All messages, in their order. */
  readonly messages: readonly ViewMessage[]
  /** All other events: sizes, states, refused messages, the policy. */
  readonly events: readonly AppEvent[]
  /** Errors that the view wrote to the console, and exceptions that it did not catch. */
  readonly consoleErrors: readonly string[]
  /** The attempts of the view that its policy blocked. */
  readonly violations: readonly CspViolation[]
  /** Milliseconds until the view was connected. Absent if it is not. */
  readonly readyMs: number | undefined
  /** Milliseconds until the view showed something. Absent if it did not. */
  readonly paintedMs: number | undefined
  /** The size of the frame when it settled last, px. */
  readonly size: ViewSize
  /** The frame of the view, to click and to look. @throws Error if the view is not shown. */
  readonly frame: ViewFrame
  /** Returns the text that the view shows. */
  text(): Promise<string>
  /** Waits until the view has sent nothing for a moment, and has the answers to its requests; at most five seconds. */
  settle(): Promise<void>
  /** Returns a picture of the view, as PNG. Animations are at their ends. */
  screenshot(): Promise<Uint8Array>
  /** Tells the view what is new: theme, partial arguments, a result. */
  update(update: AppUpdate): Promise<void>
  /** Closes the view. */
  close(): Promise<void>
}

interface TestedParts {
  readonly page: PlaywrightPage
  readonly context: PlaywrightContext
  readonly recorder: Recorder
}

/** How long nothing may happen before a view counts as settled, and how long it is waited for. */
const QUIET_MS = 250
const SETTLE_TIMEOUT_MS = 5000
/** How long a view may be empty without a message. */
const EMPTY_MS = 1000
const STEP_MS = 50
/** How long a view may take to evaluate a short expression. */
const REACTION_MS = 3000
/** The page, its proxy page, the view. */
const DEPTH = 2

/** Creates the handle of a view in a page. Its measures are taken by `settle`. */
export function createTestedView({ page, context, recorder }: TestedParts): TestedView {
  const { record } = recorder
  const measured: { paintedMs: number | undefined; size: TestedView['size'] } = { paintedMs: undefined, size: NO_SIZE }
  const frame = (): PlaywrightFrame => {
    const inner = innermost(page)
    if (!inner) throw new Error(`The view is not shown: ${record.failure?.message ?? 'it was closed'}`)
    return inner
  }
  const settle = async (): Promise<void> => {
    const start = recorder.elapsed()
    const quietMs = (): number => recorder.elapsed() - Math.max(start, record.changedMs)
    const hasReports = (): boolean => record.policyMessages === 0 || record.violations.length > 0
    const isQuiet = (): boolean => quietMs() >= QUIET_MS && record.pending.size === 0 && hasReports()
    while (recorder.elapsed() - start < SETTLE_TIMEOUT_MS) {
      if (!record.failure) measured.paintedMs ??= (await showsSomething(page)) ? recorder.elapsed() : undefined
      const isDone = record.failure !== undefined || measured.paintedMs !== undefined || quietMs() > EMPTY_MS
      if (isQuiet() && isDone) break
      await delay(STEP_MS)
    }
    if (!(await reacts(page))) record.failure ??= STUCK_VIEW
    measured.size = await sizeOf(page)
  }
  return {
    get failure() {
      return record.failure
    },
    messages: record.messages,
    events: record.events,
    consoleErrors: record.consoleErrors,
    violations: record.violations,
    get readyMs() {
      return record.readyMs
    },
    get paintedMs() {
      return measured.paintedMs
    },
    get size() {
      return measured.size
    },
    get frame() {
      return frame()
    },
    text: () => frame().evaluate<string>('document.body ? document.body.innerText : ""'),
    settle,
    screenshot: () => takePicture(page, measured.size.height),
    async update(update) {
      await callPage(page, 'update', update)
      await settle()
    },
    async close() {
      await callPage(page, 'close').catch(() => {})
      await context.close()
    },
  }
}

/** Takes a picture of a view. Chromium does not paint the frame of one that is higher than the window, so the window grows for it. */
async function takePicture(page: PlaywrightPage, height: number): Promise<Uint8Array> {
  const usual = page.viewportSize()
  const isHigher = usual !== null && height > usual.height
  if (isHigher) await page.setViewportSize({ width: usual.width, height: Math.ceil(height) })
  try {
    if (isHigher) await page.evaluate(NEXT_FRAME)
    return await page.locator('#view').screenshot({ animations: 'disabled', caret: 'hide', scale: 'device' })
  } finally {
    if (isHigher) await page.setViewportSize(usual)
  }
}

const NEXT_FRAME = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))'

const NO_SIZE = { width: 0, height: 0 }

function innermost(page: PlaywrightPage): PlaywrightFrame | undefined {
  let current: PlaywrightFrame | undefined = page.mainFrame()
  for (let depth = 0; depth < DEPTH; depth += 1) current = current?.childFrames()[0]
  return current
}

/** A text, or an element that draws. */
const PAINTS = `(() => {
  if (!document.body) return false
  if (document.body.innerText.trim() !== '') return true
  return [...document.querySelectorAll('canvas, svg, img, video, input, button, textarea, select')].some((element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0
  })
})()`

/** Evaluates an expression in the view. Resolves to `undefined` if the frame is replaced meanwhile, or its scripts leave no time. */
async function glance<T>(page: PlaywrightPage, expression: string): Promise<T | undefined> {
  const frame = innermost(page)
  const late = (): Error => new Error('The view does not react')
  return frame && withTimeout(frame.evaluate<T>(expression), REACTION_MS, late).catch(() => undefined)
}

const showsSomething = async (page: PlaywrightPage): Promise<boolean> => (await glance<boolean>(page, PAINTS)) ?? false

const reacts = async (page: PlaywrightPage): Promise<boolean> =>
  innermost(page) === undefined ||
  (await glance<boolean>(page, 'true')) === true ||
  (await glance<boolean>(page, 'true')) === true

const SIZE = `(() => {
  const frame = document.querySelector('#view iframe')
  return frame && frame.style.display !== 'none' ? { width: frame.clientWidth, height: frame.clientHeight } : { width: 0, height: 0 }
})()`

const sizeOf = (page: PlaywrightPage): Promise<TestedView['size']> => page.evaluate<TestedView['size']>(SIZE)
