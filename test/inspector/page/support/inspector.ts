/** Starts the built command `portcall inspect`, and opens its page in Chromium. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { findChromium } from '../../../../tools/lib/chromium.mjs'

const COMMAND = fileURLToPath(new URL('../../../../packages/portcall/dist/cli/main.js', import.meta.url))
const START_TIMEOUT_MS = 30_000
const PAGE_TIMEOUT_MS = 20_000

/** A running inspector. */
export interface RunningInspector {
  /** The link that it printed, which works once. */
  readonly link: string
  readonly origin: string
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Creates a folder for the files of an inspector. */
export const createHome = (): string => mkdtempSync(join(tmpdir(), 'portcall-inspector-'))

/** Starts an inspector that keeps its files in a folder of its own. */
export async function startInspector(...args: string[]): Promise<RunningInspector> {
  const home = createHome()
  const inspector = await startInspectorIn(home, ...args)
  return {
    ...inspector,
    async stop(signal) {
      await inspector.stop(signal)
      rmSync(home, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** Starts an inspector that keeps its files in a folder, where those of an earlier one may be. */
export async function startInspectorIn(home: string, ...args: string[]): Promise<RunningInspector> {
  const command = args[0] === 'apps' ? args.splice(0, 2) : ['inspect']
  const child = spawn(process.execPath, [COMMAND, ...command, '--no-open', ...args], {
    cwd: home,
    env: {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      XDG_DATA_HOME: join(home, 'data'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const link = await firstLink(child)
  return {
    link,
    origin: new URL(link).origin,
    async stop(signal = 'SIGTERM') {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill(signal)
      await exited
    },
  }
}

function firstLink(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines: string[] = []
    const timer = setTimeout(() => reject(new Error(`the inspector printed no link:\n${lines.join('\n')}`)), START_TIMEOUT_MS)
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        const [link] = /http:\/\/127\.0\.0\.1:\d+\/open\/\S+/.exec(line) ?? []
        if (!link) return
        clearTimeout(timer)
        resolve(link)
      })
    }
    child.once('exit', (code) => reject(new Error(`the inspector ended with ${code}:\n${lines.join('\n')}`)))
  })
}

/** Starts an inspector and opens its page; both end with the test, which checks that nothing went wrong on the page. */
export async function openInspector(browser: Browser, ...args: string[]): Promise<{ page: Page; origin: string }> {
  const inspector = await startInspector(...args)
  return { page: await openPageOf(browser, inspector), origin: inspector.origin }
}

/** Opens the page of an inspector; both end with the test, which checks that nothing went wrong on the page. */
export async function openPageOf(browser: Browser, inspector: Pick<RunningInspector, 'link' | 'stop'>): Promise<Page> {
  const { page, faults } = await openPage(browser, inspector.link)
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  onTestFinished(async () => {
    await page.context().close()
    await inspector.stop()
    expect(faults).toEqual([])
  })
  return page
}

/** Starts Chromium. */
export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('there is no Chromium: set CHROMIUM to the path of one')
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

/** A page with everything that went wrong on it. */
export interface WatchedPage {
  readonly page: Page
  /** Errors, warnings, violations of the policy, and requests that left for elsewhere. */
  readonly faults: string[]
}

/** Opens an address and watches the page. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const faults: string[] = []
  const { origin } = new URL(url)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const target = request.url()
    if (!target.startsWith(`${origin}/`) && !/^(?:data|blob):/.test(target)) faults.push(`request: ${target}`)
  })
  await page.goto(url)
  return { page, faults }
}
