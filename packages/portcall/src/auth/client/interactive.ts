import { untilAborted } from '../../jsonrpc/waiting.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import { createCodeGrant, type SignInOptions } from './code-grant.ts'
import { createFlow } from './flow.ts'
import { whereHost } from './http/address.ts'

/** What a host has to know to send its user off. */
export interface SignIn {
  /** Comes back in the response that belongs to this attempt. */
  readonly state: string
  /** Who asks the user to sign in. */
  readonly issuer: string
  /** What the user is asked to give access to. */
  readonly resource: string
  readonly scope: string | undefined
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
}

/** How a user signs in by a page that the host shows. */
export interface InteractiveOptions extends SignInOptions {
  /** Where the authorization server sends the user back: an address of the host, by https, or by http on this machine. */
  readonly redirectUri: string | URL
  /**
   * Shows a page to the user, and resolves to the address at which the user came back, or its parameters. Checks nothing; throws when the
   * user does not come back.
   */
  readonly authorize: (url: URL, about: SignIn) => Promise<string | URL | URLSearchParams>
  /** Default: `web` for a redirect to https, else `native`. */
  readonly applicationType?: 'native' | 'web'
}

/** Signs users in by a page that the host shows in its own way. @throws TypeError when users would come back over an open network. */
export function interactive(options: InteractiveOptions): AuthProvider {
  const redirectUri = String(options.redirectUri)
  const { protocol, hostname } = new URL(redirectUri)
  if (protocol !== 'https:' && (protocol !== 'http:' || whereHost(hostname) !== 'loopback'))
    throw new TypeError(`Users come back by https, or to this machine, not to ${redirectUri}`)
  const { authorize, applicationType = protocol === 'https:' ? 'web' : 'native' } = options
  const grant = createCodeGrant({
    name: 'interactive',
    sources: options,
    applicationType,
    open: async () => ({
      redirectUri,
      async visit({ url, state }, { server, resource, scope, signal }) {
        const asked = authorize(url, { state, issuer: server.issuer, resource, scope, signal })
        return parametersOf(await untilAborted(asked, signal))
      },
      close() {},
    }),
  })
  return createFlow(grant, options)
}

function parametersOf(response: string | URL | URLSearchParams): URLSearchParams {
  return response instanceof URLSearchParams ? response : new URL(response).searchParams
}
