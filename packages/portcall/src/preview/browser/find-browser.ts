/** Finds a Chromium on this machine. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { errorMessage } from '../../../../util/src/errors.ts'
import { PreviewError } from '../errors.ts'
import type { BrowserType, PlaywrightBrowser } from './playwright.ts'

const IN_PATH = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
]
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** Returns the path of a browser: the named one, or one that is installed; `undefined` leaves it to Playwright. @throws PreviewError */
function findBrowser(chromium: BrowserType, named: string | undefined): string | undefined {
  const wanted = named ?? process.env.PORTCALL_BROWSER
  if (wanted !== undefined) {
    if (existsSync(wanted)) return wanted
    throw new PreviewError('BROWSER_MISSING', `There is no browser at ${wanted}`)
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const places = [downloaded(chromium), ...IN_PATH.flatMap((name) => folders.map((folder) => join(folder, name))), ...ELSEWHERE]
  return places.find((path) => path !== undefined && existsSync(path))
}

/** Some builds of Playwright throw if they have no browser for this system. */
function downloaded(chromium: BrowserType): string | undefined {
  try {
    return chromium.executablePath()
  } catch {
    return undefined
  }
}

/** Colors, fonts and scroll bars that are the same on each run. */
const ARGS = ['--force-color-profile=srgb', '--font-render-hinting=none', '--disable-lcd-text']

/** Starts a browser. @throws PreviewError if there is none, or it does not start. */
export async function launchBrowser(chromium: BrowserType, named: string | undefined): Promise<PlaywrightBrowser> {
  const executablePath = findBrowser(chromium, named)
  try {
    return await chromium.launch({ args: ARGS, ...(executablePath !== undefined && { executablePath }) })
  } catch (cause) {
    const [reason = ''] = errorMessage(cause).split('\n')
    const message =
      executablePath === undefined
        ? 'There is no Chromium. Run npx playwright-core install chromium, or name one: --browser PATH, the option browser, or the variable PORTCALL_BROWSER'
        : `The browser ${executablePath} does not start: ${reason}`
    throw new PreviewError('BROWSER_MISSING', message, { cause })
  }
}
