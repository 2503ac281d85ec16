import type { AuthProvider } from '../../../protocol/authorizer.ts'
import { raceAbort } from '../../../util/timers.ts'
import { createAuthProvider } from '../auth-provider.ts'
import { classifyHost } from '../http/address-policy.ts'
import { createCodeGrant, type SignInOptions } from './code-grant.ts'

/** The authorization request that the user is asked to approve. */
export interface SignInRequest {
  /** The `state` parameter, which the response repeats. */
  readonly state: string
  /** The authorization server. */
  readonly issuer: string
  /** The resource to grant access to. */
  readonly resource: string
  /** The scopes to grant, separated by spaces. Absent if the request names none. */
  readonly scope: string | undefined
  /** Aborted when no caller waits any more. */
  readonly signal: AbortSignal
}

export interface AuthorizationCodeOptions extends SignInOptions {
  /** The redirect URI: a URL of your program with https, or with http on loopback. */
  readonly redirectUri: string | URL
  /**
   * Shows a page to the user, and resolves to the URL that the user was redirected to, or to its parameters. Does not have to check anything.
   * Rejects if the user does not return.
   */
  readonly authorize: (url: URL, request: SignInRequest) => Promise<string | URL | URLSearchParams>
  /** The type of application to register. Default: `web` for an `https:` redirect URI, otherwise `native`. */
  readonly applicationType?: 'native' | 'web'
}

/**
 * Signs users in with a page that your program shows.
 *
 * @throws TypeError if the redirect URI uses http and is not on loopback.
 */
export function authorizationCode(options: AuthorizationCodeOptions): AuthProvider {
  const redirectUri = String(options.redirectUri)
  const { protocol, hostname } = new URL(redirectUri)
  if (protocol !== 'https:' && (protocol !== 'http:' || classifyHost(hostname) !== 'loopback'))
    throw new TypeError(`redirectUri must use https, or http on loopback: ${redirectUri}`)
  const { authorize, applicationType = protocol === 'https:' ? 'web' : 'native' } = options
  const grant = createCodeGrant({
    name: 'authorization_code',
    options,
    applicationType,
    openReceiver: async () => ({
      redirectUri,
      async authorize({ url, state }, { server, resource, scope, signal }) {
        const response = authorize(url, { state, issuer: server.issuer, resource, scope, signal })
        return parametersOf(await raceAbort(response, signal))
      },
      close() {},
    }),
  })
  return createAuthProvider(grant, options)
}

function parametersOf(response: string | URL | URLSearchParams): URLSearchParams {
  return response instanceof URLSearchParams ? response : new URL(response).searchParams
}
