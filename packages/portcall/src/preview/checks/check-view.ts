/** Checks a view that was shown. */
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { withTimeout } from '../../../../util/src/timers.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { STUCK_VIEW, type ViewFailure } from '../host/measures.ts'
import type { TestedView } from '../host/tested-view.ts'
import { axeFindings, findAxe } from './axe.ts'
import { type ViewFinding, viewFinding } from './finding.ts'
import { probePage } from './page-probe.ts'
import { type PolicyEvidence, policyFindings } from './policy-findings.ts'

/** Options of `checkView`. */
export interface CheckViewOptions {
  /** A text that the view must show. */
  readonly text?: string
  /** How long the view may take to connect. Default: 2000 (milliseconds). */
  readonly maxReadyMs?: number
  /** How long the view may take to show something. Default: 3000 (milliseconds). */
  readonly maxPaintMs?: number
  /** The folder from which axe-core is found. Default: the working directory. */
  readonly folder?: string
}

const NAMES: OptionNames<CheckViewOptions> = { text: 'nonempty', maxReadyMs: 'number', maxPaintMs: 'number', folder: 'nonempty' }

/** The report about a view. */
export interface ViewReport {
  /** The faults, the ones that leave the frame empty first. */
  readonly findings: readonly ViewFinding[]
  /** The checks that could not be made, one sentence each. */
  readonly skipped: readonly string[]
}

/** A view changes its size while it loads. More changes are a loop. */
const MAX_SIZES = 40
const MAX_CONSOLE_ERRORS = 5
const DEFAULT_READY_MS = 2000
const DEFAULT_PAINT_MS = 3000
/** The height that hosts recommend at most within a conversation. */
const INLINE_HEIGHT = 800

/**
 * Checks a view that `testHost` shows: connected and painted in time, nothing blocked, no errors, a height, a text, usable by touch and with assistive
 * technology. Runs axe-core if the project has it.
 *
 * @throws TypeError if an option is invalid.
 */
export async function checkView(view: TestedView, options: CheckViewOptions = {}): Promise<ViewReport> {
  checkOptions('checkView()', options, { names: NAMES })
  // A view that tried to become another page leaves the error page of the browser.
  const isGone = view.failure !== undefined || view.violations.some(({ isNavigation }) => isNavigation)
  const findings = [
    ...(view.failure ? [failureFinding(view.failure)] : []),
    ...policyFindings(evidenceOf(view)),
    ...consoleFindings(view),
    ...(isGone ? [] : timeFindings(view, options)),
  ]
  if (isGone) return { findings, skipped: [] }
  const axe = findAxe(options.folder ?? '.')
  const inside = async (): Promise<ViewFinding[]> => [
    ...sizeFindings(view),
    ...(await textFindings(view, options)),
    ...(await layoutFindings(view)),
    ...(axe === undefined ? [] : await axeFindings(view.frame, axe)),
  ]
  const stuck = new Error(STUCK_VIEW.message)
  findings.push(
    ...(await withTimeout(inside(), INSIDE_TIMEOUT_MS, () => stuck).catch((error: unknown) => {
      if (error !== stuck) throw error
      return [failureFinding(STUCK_VIEW)]
    })),
  )
  return { findings, skipped: axe === undefined ? [NO_AXE] : [] }
}

/** How long the checks within a view may take: a view can also stop to react later than when it was shown. */
const INSIDE_TIMEOUT_MS = 20_000

const NO_AXE = 'accessibility was not checked: install axe-core'

const NEEDS_CODE = /EvalError|unsafe-eval|WebAssembly/

const evidenceOf = ({ violations, events, consoleErrors, failure }: TestedView): PolicyEvidence => ({
  violations,
  dropped: events.flatMap((event) => (event.type === 'csp' ? event.dropped : [])),
  needsCode: failure !== undefined || consoleErrors.some((text) => NEEDS_CODE.test(text)),
})

/** The rules, by the codes of failures. */
const FAILURE_RULES: { readonly [code: string]: string } = {
  VIEW_NOT_CONNECTED: 'view-handshake',
  VIEW_WRONG_TYPE: 'view-type',
  VIEW_STUCK: 'view-stuck',
}

function failureFinding({ code, message }: ViewFailure): ViewFinding {
  const rule = Object.hasOwn(FAILURE_RULES, code) ? FAILURE_RULES[code] : undefined
  return viewFinding('error', rule ?? 'view-missing', message)
}

function consoleFindings({ consoleErrors }: TestedView): ViewFinding[] {
  const different = [...new Set(consoleErrors)]
  const more = different.length - MAX_CONSOLE_ERRORS
  return [
    ...different
      .slice(0, MAX_CONSOLE_ERRORS)
      .map((text) => viewFinding('error', 'view-console', `the console has the error ${JSON.stringify(text.slice(0, 300))}`)),
    ...(more > 0 ? [viewFinding('error', 'view-console', `the console has ${more} more errors`)] : []),
  ]
}

function timeFindings({ readyMs, paintedMs }: TestedView, options: CheckViewOptions): ViewFinding[] {
  const { maxReadyMs = DEFAULT_READY_MS, maxPaintMs = DEFAULT_PAINT_MS } = options
  const late = (what: string, ms: number, max: number): ViewFinding =>
    viewFinding('error', 'view-slow', `the view ${what} after ${ms} ms, later than ${max} ms`)
  return [
    ...(readyMs !== undefined && readyMs > maxReadyMs ? [late('was connected', readyMs, maxReadyMs)] : []),
    ...(paintedMs === undefined ? [viewFinding('error', 'view-empty', 'the view shows nothing')] : []),
    ...(paintedMs !== undefined && paintedMs > maxPaintMs ? [late('showed something', paintedMs, maxPaintMs)] : []),
  ]
}

/** Returns the display mode that the host named in its answer to `ui/initialize`. */
function firstModeOf(messages: TestedView['messages']): unknown {
  const answer = messages.find(({ from, message }) => from === 'host' && 'result' in message)?.message
  const context = answer && 'result' in answer ? answer.result.hostContext : undefined
  return isObject(context) ? context.displayMode : undefined
}

function sizeFindings({ events, size, messages }: TestedView): ViewFinding[] {
  const heights = events.flatMap((event) => (event.type === 'size' && event.height !== undefined ? [event.height] : []))
  const last = heights.at(-1)
  const fault = (level: ViewFinding['level'], message: string): ViewFinding => viewFinding(level, 'view-height', message)
  if (firstModeOf(messages) === 'fullscreen') return []
  if (last === undefined) return [fault('warning', 'the view never reports its height: hosts cut it off, or give it no height')]
  return [
    ...(last <= 0 ? [fault('error', 'the view reports the height 0: hosts show nothing')] : []),
    ...(heights.length > MAX_SIZES
      ? [fault('error', `the view changed its height ${heights.length} times: it follows its frame`)]
      : []),
    ...(last > size.height + 1 && size.height > 0
      ? [fault('warning', `the view is ${last} px high, and the host shows ${size.height} px of it`)]
      : []),
    ...(last > INLINE_HEIGHT && last <= size.height + 1
      ? [fault('warning', `the view is ${last} px high: within a conversation, show less than ${INLINE_HEIGHT} px`)]
      : []),
  ]
}

async function textFindings(view: TestedView, { text }: CheckViewOptions): Promise<ViewFinding[]> {
  const shown = await view.text()
  const isEmpty = shown.trim() === '' && view.paintedMs !== undefined
  return [
    ...(isEmpty ? [viewFinding('warning', 'view-empty', 'the view has no text: people who do not see it get nothing')] : []),
    ...(text !== undefined && !shown.includes(text)
      ? [
          viewFinding(
            'error',
            'view-text-missing',
            `the view does not show ${JSON.stringify(text)}, but ${JSON.stringify(shown.slice(0, 200))}`,
          ),
        ]
      : []),
  ]
}

/** Lists a few elements, and says how many more there are. */
function listOf(elements: readonly string[]): string {
  const more = elements.length - 3
  return `${elements.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

async function layoutFindings(view: TestedView): Promise<ViewFinding[]> {
  const { width, contentWidth, smallTargets, scrollers } = await probePage(view.frame)
  return [
    ...(contentWidth > width + 1
      ? [viewFinding('error', 'view-overflow', `the content is ${contentWidth} px wide in a frame of ${width} px`)]
      : []),
    ...(smallTargets.length > 0 ? [viewFinding('warning', 'view-target', `smaller than 44 px: ${listOf(smallTargets)}`)] : []),
    ...(scrollers.length > 0 ? [viewFinding('warning', 'view-scroll', `scrolls within the view: ${listOf(scrollers)}`)] : []),
  ]
}
