import type { AuthProvider } from '../../protocol/authorizer.ts'
import { createCodeGrant, type SignInOptions } from './code-grant.ts'
import { AuthError } from './errors.ts'
import { createFlow } from './flow.ts'
import { createTurns } from './turns.ts'
import type { Grant } from './types.ts'

/** How a user signs in by the browser of this machine. */
export interface BrowserOptions extends SignInOptions {
  /**
   * Where the user comes back: an http address of this machine. Without a port any free one is taken. Default:
   * `http://127.0.0.1/callback`.
   */
  readonly redirectUri?: string | URL
  /** Opens a page for the user. Default: the browser of the system. */
  readonly open?: (url: URL) => void | Promise<void>
  /** How long the user may take, in milliseconds. Default: five minutes. */
  readonly timeoutMs?: number
}

const DEFAULT_REDIRECT = 'http://127.0.0.1/callback'
const TIMEOUT_MS = 300_000
const HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Signs users in by their browser, and takes them back on this machine: for programs that run where their user sits. One sign-in is shown at
 * a time; nothing listens when it is over.
 *
 * @example
 * const notes = await connect('https://notes.example.com/mcp', { auth: browser({ store: fileStore('tokens.json') }) })
 */
export function browser(options: BrowserOptions = {}): AuthProvider {
  const redirect = readRedirect(options.redirectUri ?? DEFAULT_REDIRECT)
  const { timeoutMs = TIMEOUT_MS, open = openInSystem } = options
  const turns = createTurns()
  const grant = createCodeGrant({
    name: 'browser',
    sources: options,
    applicationType: 'native',
    async open(registered) {
      const { createLoopback } = await import('./node/loopback.ts')
      const loopback = await createLoopback(redirect, registered)
      return {
        redirectUri: loopback.redirectUri,
        close: loopback.close,
        async visit({ url, state }, { signal }) {
          const late = AbortSignal.timeout(timeoutMs)
          const came = loopback.response(state, AbortSignal.any([signal, late]))
          came.catch(() => {})
          try {
            await open(url)
            return await came
          } catch (error) {
            signal.throwIfAborted()
            throw late.aborted ? new AuthError('timed_out', `Nobody has signed in within ${timeoutMs} ms`) : error
          }
        },
      }
    },
  })
  const oneByOne: Grant = { ...grant, obtain: (context) => turns(() => grant.obtain(context), context.signal) }
  return createFlow(oneByOne, options)
}

function readRedirect(given: string | URL): URL {
  const url = new URL(given)
  if (url.protocol !== 'http:' || !HOSTS.includes(url.hostname) || url.search || url.hash)
    throw new TypeError(`Users come back to an http address of this machine, not to ${url.href}`)
  return url
}

/** Opens a page in the browser of the system. @throws TypeError for what is no web page; Error when there is no browser. */
export async function openInSystem(url: URL): Promise<void> {
  const { openUrl } = await import('./node/open-url.ts')
  await openUrl(url)
}
