import { spawn as spawnProcess } from 'node:child_process'

type Platform = typeof process.platform

/** Returns the program that opens URLs on a platform, and its arguments before the URL. */
function openerOf(platform: Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['/usr/bin/open']
  if (platform !== 'win32') return ['xdg-open']
  const root = process.env.SystemRoot ?? 'C:\\Windows'
  return [`${root}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler']
}

export interface OpenUrlOptions {
  /** Default: that of `node:child_process`. */
  readonly spawn?: typeof spawnProcess
  /** Default: the current platform. */
  readonly platform?: Platform
}

/** Time after which a program that still runs counts as having opened the page. */
const SUCCESS_DELAY_MS = 3000

/**
 * Opens a URL in the default browser. No shell interprets the URL: it is one argument of a program, and starts with its scheme.
 *
 * @throws TypeError unless the URL uses http or https; Error if the program is missing or fails.
 */
export function openUrl(url: URL, { spawn = spawnProcess, platform = process.platform }: OpenUrlOptions = {}): Promise<void> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`Cannot open a URL with the scheme ${url.protocol} in a browser`)
  const [command, ...args] = openerOf(platform)
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, url.href], { shell: false, stdio: 'ignore', detached: true, windowsHide: true })
    const timer = setTimeout(resolve, SUCCESS_DELAY_MS)
    const fail = (reason: string): void => {
      clearTimeout(timer)
      reject(new Error(`Cannot open the browser: ${reason}. Pass \`open\` to show the URL in another way`))
    }
    child.once('error', ({ message }) => fail(message))
    child.once('exit', (code) => {
      if (code) return fail(`${command} exited with code ${code}`)
      clearTimeout(timer)
      resolve()
    })
    child.unref()
  })
}
