import { createMutex } from '../../../../../util/src/async.ts'
import { LOOPBACK_NAMES } from '../../../../../util/src/loopback-host.ts'
import { timeoutSignal } from '../../../../../util/src/timers.ts'
import { checkGrantOptions, createAuthProvider, type GrantOptionNames, type OAuthProvider } from '../auth-provider.ts'
import { AuthError } from '../errors.ts'
import { CLIENT_SOURCE_NAMES } from '../registration/registration-request.ts'
import type { GrantType } from '../types.ts'
import { createCodeGrant, type SignInOptions } from './code-grant.ts'

export interface BrowserSignInOptions extends SignInOptions {
  /** The redirect URI: an http URL on this machine. Without a port, any free one is used. Default: `http://127.0.0.1/callback`. */
  readonly redirectUri?: string | URL
  /** Opens a page for the user. Default: the default browser. */
  readonly open?: (url: URL) => void | Promise<void>
  /** Time allowed for signing in, in milliseconds. Default: 300,000. */
  readonly timeoutMs?: number
}

const NAMES: GrantOptionNames<BrowserSignInOptions> = {
  ...CLIENT_SOURCE_NAMES,
  pkce: 1,
  redirectUri: 'url',
  open: 'function',
  timeoutMs: 1,
}
const DEFAULT_REDIRECT_URI = 'http://127.0.0.1/callback'
const TIMEOUT_MS = 300_000

/**
 * Signs users in with the browser of this machine, and receives the redirect on a loopback port. Use it in programs that run where their user
 * is. One sign-in is shown at a time. The port is closed afterwards.
 *
 * @example
 * const notes = await connect('https://notes.example.com/mcp', { auth: browserSignIn({ store: fileStore('tokens.json') }) })
 */
export function browserSignIn(options: BrowserSignInOptions = {}): OAuthProvider {
  checkGrantOptions('browserSignIn()', options, { own: NAMES })
  const redirectUri = parseRedirectUri(options.redirectUri ?? DEFAULT_REDIRECT_URI)
  const { timeoutMs = TIMEOUT_MS, open = openBrowser } = options
  const mutex = createMutex()
  const grant = createCodeGrant({
    name: 'browser',
    options,
    applicationType: 'native',
    // One sign-in runs at a time, so that one without a return has ended.
    signInTtlMs: 0,
    async openReceiver(registered) {
      const { startLoopbackServer } = await import('../node/loopback.ts')
      const server = await startLoopbackServer(redirectUri, registered)
      return {
        redirectUri: server.redirectUri,
        close: server.close,
        async signIn({ url, state, redeem }, { signal }) {
          const timeout = timeoutSignal(timeoutMs)
          const response = server.waitForResponse(state, AbortSignal.any([signal, timeout]))
          response.catch(() => {})
          try {
            await open(url)
            return await redeem(await response)
          } catch (error) {
            signal.throwIfAborted()
            throw timeout.aborted ? new AuthError('timed_out', `The user did not sign in within ${timeoutMs} ms`) : error
          }
        },
      }
    },
  })
  const sequential: GrantType = {
    ...grant,
    obtain: (context) => mutex.run(() => grant.obtain(context), context.signal),
  }
  return createAuthProvider(sequential, options)
}

function parseRedirectUri(uri: string | URL): URL {
  const url = new URL(uri)
  if (url.protocol !== 'http:' || !LOOPBACK_NAMES.includes(url.hostname) || url.search || url.hash)
    throw new TypeError(`redirectUri must be an http URL on this machine without query and fragment: ${url.href}`)
  return url
}

/** Opens a page in the default browser. @throws TypeError unless the URL uses http or https; Error if the browser cannot be started. */
export async function openBrowser(url: URL): Promise<void> {
  const { openUrl } = await import('../node/open-url.ts')
  await openUrl(url)
}
