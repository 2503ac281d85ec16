import { spawn as spawnProcess } from 'node:child_process'

type Platform = typeof process.platform

/** The program of a system that opens addresses, and its arguments before the address. */
function openerOf(platform: Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['/usr/bin/open']
  if (platform !== 'win32') return ['xdg-open']
  const root = process.env.SystemRoot ?? 'C:\\Windows'
  return [`${root}\\System32\\rundll32.exe`, 'url.dll,FileProtocolHandler']
}

/** What starts programs, and on which system. */
export interface OpenOptions {
  readonly spawn?: typeof spawnProcess
  readonly platform?: Platform
}

/** A program that still runs after that has opened the page. */
const SETTLED_MS = 3000

/**
 * Opens an address in the browser of the system. No shell sees it: it is one argument of a program, and begins with its scheme.
 *
 * @throws TypeError for an address that is not of the web; Error when there is no such program, or it fails.
 */
export function openUrl(url: URL, { spawn = spawnProcess, platform = process.platform }: OpenOptions = {}): Promise<void> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError(`${url.protocol} is not opened in a browser`)
  const [command, ...args] = openerOf(platform)
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, url.href], { shell: false, stdio: 'ignore', detached: true, windowsHide: true })
    const timer = setTimeout(resolve, SETTLED_MS)
    const fail = (reason: string): void => {
      clearTimeout(timer)
      reject(new Error(`The browser cannot be opened: ${reason}. Give \`open\` to show the address in another way`))
    }
    child.once('error', ({ message }) => fail(message))
    child.once('exit', (code) => {
      if (code) return fail(`${command} ended with ${code}`)
      clearTimeout(timer)
      resolve()
    })
    child.unref()
  })
}
