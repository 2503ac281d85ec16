/** A host in a headless browser, for tests. */
import { checkOptions } from '../../../../util/src/check-options.ts'
import { appHostOf } from '../../apps/host/bridge-options.ts'
import type { AppClient } from '../../apps/host/types.ts'
import { connect } from '../../connect/connect.ts'
import type { ConnectTarget } from '../../connect/target.ts'
import { VIEW_CAPABILITIES } from '../../protocol/apps.ts'
import { launchBrowser } from '../browser/find-browser.ts'
import { loadPlaywright } from '../browser/find-playwright.ts'
import { servePages } from '../server/page-server.ts'
import { comparePictures, type PictureDifference } from './compare-pictures.ts'
import { SHOW_VIEW_OPTIONS, type ShowViewOptions, TEST_HOST_OPTIONS, type TestHostOptions } from './options.ts'
import type { Recorder } from './record.ts'
import { showInBrowser } from './show-in-browser.ts'
import type { TestedView } from './tested-view.ts'

/** A host that shows views in a headless browser. */
export interface TestHost {
  /** Shows a view. Resolves when it is connected and has settled; also if it could not be shown: then it has a `failure`. */
  show(options: ShowViewOptions): Promise<TestedView>
  /** Compares a picture, as PNG, with the expected one. */
  compare(picture: Uint8Array, expected: Uint8Array): Promise<PictureDifference>
  /** The name and version of the browser. */
  readonly browser: string
  /** Ends the browser, and the connection to the server, unless it was open before. */
  close(): Promise<void>
  /** Does the same: `await using host = await testHost(…)`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a host that shows views in a headless Chromium, as hosts do: in a frame of another origin, under the policy that they declare. Needs
 * playwright-core in the project, and a Chromium.
 *
 * @throws PreviewError if Playwright or a browser is missing; TypeError if an option is invalid.
 * @example
 * const host = await testHost({ server })
 * const view = await host.show({ tool: 'sales', args: { year: 2026 }, profile: 'claude', theme: 'dark' })
 * assert.match(await view.text(), /Sales 2026/)
 * assert.deepEqual(view.violations, [])
 * await host.close()
 */
export async function testHost(options: TestHostOptions = {}): Promise<TestHost> {
  checkOptions('testHost()', options, { names: TEST_HOST_OPTIONS })
  const { browser: path, folder = '.' } = options
  const chromium = await loadPlaywright(folder)
  const connection = await openConnection(options.server)
  const recorders = new Map<string, Recorder>()
  const pages = await servePages({
    client: connection.client,
    onViolation: (violation, view) => recorders.get(view)?.takeViolation(violation),
  })
  const browser = await launchBrowser(chromium, path).catch(async (error: unknown) => {
    await Promise.all([pages.close(), connection.close()])
    throw error
  })
  let count = 0
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await browser.close()
    await Promise.all([pages.close(), connection.close()])
  }
  const end = (): Promise<void> => (closing ??= close())
  return {
    browser: `Chromium ${browser.version()}`,
    async show(view) {
      checkShowOptions(view)
      count += 1
      const name = `view-${count}`
      return showInBrowser(view, {
        browser,
        client: connection.client,
        url: pages.url,
        sandbox: pages.sandboxOf(name),
        onRecorder: (recorder) => void recorders.set(name, recorder),
      })
    },
    compare: (picture, expected) => comparePictures(browser, picture, expected),
    close: end,
    [Symbol.asyncDispose]: end,
  }
}

function checkShowOptions(view: ShowViewOptions): void {
  checkOptions('show()', view, { names: SHOW_VIEW_OPTIONS })
  if ((view.tool === undefined) === (view.html === undefined)) throw new TypeError('show(): pass either tool or html')
  const modes = appHostOf(view.profile)?.displayModes
  if (modes && view.displayMode && !modes.includes(view.displayMode))
    throw new TypeError(`show(): the profile has no display mode ${JSON.stringify(view.displayMode)}, only ${modes.join(', ')}`)
}

interface Connection {
  readonly client: AppClient
  close(): Promise<void>
}

async function openConnection(server: TestHostOptions['server']): Promise<Connection> {
  if (server === undefined) return { client: NO_SERVER, close: async () => {} }
  if (isClient(server)) return { client: server, close: async () => {} }
  const client = await connect(server, { capabilities: VIEW_CAPABILITIES })
  return { client: client as AppClient, close: () => client.close() }
}

const isClient = (server: ConnectTarget | AppClient): server is AppClient =>
  typeof server === 'object' && 'callTool' in server && 'tools' in server

const noServer = async (): Promise<never> => {
  throw new Error('This view has no server')
}
const NO_SERVER: AppClient = { tools: () => ({ toArray: async () => [] }), callTool: noServer, request: noServer }
