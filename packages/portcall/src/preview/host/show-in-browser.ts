/** Shows one view in a page of the test host. */
import { errorMessage } from '../../../../util/src/errors.ts'
import { appHostOf } from '../../apps/host/bridge-options.ts'
import type { AppClient } from '../../apps/host/types.ts'
import type { HostContext } from '../../apps/view/types.ts'
import type { PlaywrightBrowser, PlaywrightContext, PlaywrightPage } from '../browser/playwright.ts'
import type { PageView } from '../page/show-view.ts'
import { callPage } from './call-page.ts'
import { ownPageOf, type ShowViewOptions } from './options.ts'
import { createRecorder, type Recorder } from './record.ts'
import { createTestedView, type TestedView } from './tested-view.ts'

/** The parts of a test host that a view needs. */
export interface ViewSurroundings {
  readonly browser: PlaywrightBrowser
  readonly client: AppClient
  /** The URL of the host page. */
  readonly url: string
  /** The URL of the proxy page. */
  readonly sandbox: string
  /** Passes the recorder what the policy blocks. */
  readonly onRecorder: (recorder: Recorder) => void
}

const DEFAULT_WIDTH = 720
const DEFAULT_HEIGHT = 800
/** Each call of it returns the same numbers. */
const FIXED_RANDOM = '(() => { let seed = 1; Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647 })()'

/** Shows a view. Resolves when it is connected and has settled, or cannot be shown. */
export async function showInBrowser(options: ShowViewOptions, around: ViewSurroundings): Promise<TestedView> {
  const context = await around.browser.newContext(contextOptions(options))
  try {
    return await open(options, around, context)
  } catch (error) {
    await context.close()
    throw error
  }
}

function contextOptions(options: ShowViewOptions): object {
  const { theme = 'light', height = DEFAULT_HEIGHT, locale = 'en-US', timeZone = 'UTC', scale = 1 } = options
  return {
    viewport: { width: widthOf(options), height },
    colorScheme: theme,
    locale,
    timezoneId: timeZone,
    deviceScaleFactor: scale,
    serviceWorkers: 'block',
    ...(options.now && { reducedMotion: 'reduce' }),
  }
}

/** Returns the width of a view. */
export function widthOf({ width, profile }: ShowViewOptions): number {
  const { width: usual, maxWidth } = appHostOf(profile)?.container ?? {}
  return width ?? usual ?? maxWidth ?? DEFAULT_WIDTH
}

function hostContext(options: ShowViewOptions): HostContext {
  const { theme = 'light', locale = 'en-US', timeZone = 'UTC', displayMode, profile } = options
  const known = appHostOf(profile)
  const insets = displayMode === 'fullscreen' ? known?.fullscreenInsets : undefined
  const size = { width: widthOf(options), height: options.height ?? DEFAULT_HEIGHT }
  return {
    theme,
    locale,
    timeZone,
    ...(displayMode && { displayMode }),
    ...(displayMode === 'fullscreen' && { containerDimensions: size }),
    ...(insets && { safeAreaInsets: insets }),
    ...options.context,
  }
}

async function open(options: ShowViewOptions, around: ViewSurroundings, context: PlaywrightContext): Promise<TestedView> {
  if (options.now) {
    await context.clock.setFixedTime(options.now)
    await context.addInitScript({ content: FIXED_RANDOM })
  }
  const page = await context.newPage()
  await page.goto(around.url)
  await page.waitForFunction('window.portcallHost !== undefined')
  let done: () => void = () => {}
  const connected = new Promise<void>((resolve) => (done = resolve))
  const recorder = createRecorder(() => done())
  around.onRecorder(recorder)
  page.on('console', (message) => message.type() === 'error' && recorder.takeError(message.text()))
  page.on('pageerror', (error) => recorder.takeException(String(error)))
  page.on('crash', () => recorder.takeException('The page has crashed'))
  await page.exposeFunction('portcallReport', (json: string) => recorder.takeEvent(json))
  const html = ownPageOf(options)
  const input = options.args ?? {}
  const view: PageView = {
    tool: options.tool ?? NO_TOOL,
    sandbox: around.sandbox,
    context: hostContext(options),
    ...(html && { view: html }),
    ...(options.profile && { profile: options.profile }),
    ...(options.handshakeTimeoutMs !== undefined && { handshakeTimeoutMs: options.handshakeTimeoutMs }),
    input,
  }
  await callPage(page, 'show', view)
  const result = deliverResult(page, options, around.client)
  await connected
  await result
  const tested = createTestedView({ page, context, recorder })
  await tested.settle()
  return tested
}

/** The tool of a page without one. */
const NO_TOOL = { name: 'view', inputSchema: { type: 'object' } } as const

/** Calls the tool while the view loads, as hosts do. */
async function deliverResult(
  page: PlaywrightPage,
  { tool, args = {}, result }: ShowViewOptions,
  client: AppClient,
): Promise<void> {
  if (result === null || (result === undefined && tool === undefined)) return
  const called = result ?? client.callTool(tool as string, args)
  const update = await Promise.resolve(called).then(
    (value) => ({ result: value }),
    (error: unknown) => ({ cancelled: errorMessage(error) }),
  )
  await callPage(page, 'update', update)
}
