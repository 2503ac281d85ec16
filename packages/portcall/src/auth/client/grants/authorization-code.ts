import { raceAbort } from '../../../../../util/src/timers.ts'
import { withoutUndefined } from '../../../../../util/src/without-undefined.ts'
import {
  checkGrantOptions,
  createProviderParts,
  type GrantOptionNames,
  type OAuthProvider,
  type ProviderParts,
} from '../auth-provider.ts'
import { AuthError } from '../errors.ts'
import { classifyHost } from '../http/address-policy.ts'
import { refusalOf } from '../registration/registered-client.ts'
import { CLIENT_SOURCE_NAMES } from '../registration/registration-request.ts'
import { hasOfflineAccess, mayRefuseOfflineAccess } from '../tokens/offline-access.ts'
import { splitScopes } from '../tokens/scopes.ts'
import { saveServerLimits } from '../tokens/server-limits.ts'
import { toStoredTokens } from '../tokens/token-store.ts'
import type { ClientIdentity, GrantContext, TokenSet } from '../types.ts'
import { redeemResponse } from './authorization-attempt.ts'
import { type CodeGrant, createCodeGrant, type RedirectReceiver, type SignInAttempt, type SignInOptions } from './code-grant.ts'
import { createStoredSignIns, type StartedSignIn, type StoredSignIns } from './stored-sign-in.ts'

/** The authorization request that the user is asked to approve. */
export interface SignInRequest {
  /** The `state` parameter, which the response repeats. */
  readonly state: string
  /** The authorization server. */
  readonly issuer: string
  /** The resource to grant access to. */
  readonly resource: string
  /** The scopes to grant; empty if the request names none. */
  readonly scopes: readonly string[]
  /** Aborted when no caller waits any more. */
  readonly signal: AbortSignal
}

export interface AuthorizationCodeOptions extends SignInOptions {
  /** The redirect URI: a URL of your program with https, or with http on loopback. */
  readonly redirectUri: string | URL
  /**
   * Shows a page to the user, and resolves to the URL that the user was redirected to, or to its parameters. Does not have to check anything.
   * Rejects if the user does not return.
   *
   * If another part of your program, or another process, receives the redirect and calls `finishSignIn`, resolve to `undefined`: the call that
   * needs the tokens then waits for them. Or reject with an error of your own, for instance one that makes your web server send the user to
   * `url`: the call fails with it, the sign-in can still be finished, and later calls use its tokens.
   */
  readonly authorize: (url: URL, request: SignInRequest) => Promise<string | URL | URLSearchParams | undefined>
  /** Time allowed for signing in, in milliseconds. After that, `finishSignIn` refuses the response. Default: 600,000. */
  readonly signInTtlMs?: number
  /** The type of application to register. Default: `web` for an `https:` redirect URI, otherwise `native`. */
  readonly applicationType?: 'native' | 'web'
}

/** A provider that signs users in with a page that your program shows. */
export interface AuthorizationCodeProvider extends OAuthProvider {
  /**
   * Finishes a sign-in with the URL that the user was redirected to, or with its parameters. Call it in any process that has the same store, on
   * a provider with the same options. Use the `account` of the user whose browser sent the request: the response to a sign-in of another
   * account is refused, so nobody can make a user sign in as somebody else. Resolves when the tokens are stored.
   *
   * @throws AuthError `state_mismatch` if the response belongs to no sign-in of this account, or to one that has expired or was finished before.
   */
  finishSignIn(response: string | URL | URLSearchParams): Promise<void>
}

const NAMES: GrantOptionNames<AuthorizationCodeOptions> = {
  ...CLIENT_SOURCE_NAMES,
  pkce: 1,
  redirectUri: 'url',
  authorize: 'function',
  signInTtlMs: 1,
  applicationType: ['native', 'web'],
}
const REQUIRED = {
  redirectUri: 'Pass a URL of your program, which receives the redirect',
  authorize: 'Pass a function that sends the user to a URL: authorize(url, request)',
}
const SIGN_IN_TTL_MS = 600_000

/**
 * Signs users in with a page that your program shows. What a sign-in needs is in the store, so any process can finish it.
 *
 * @throws TypeError if the redirect URI uses http and is not on loopback.
 */
export function authorizationCode(options: AuthorizationCodeOptions): AuthorizationCodeProvider {
  checkGrantOptions('authorizationCode()', options, { own: NAMES, required: REQUIRED })
  const redirectUri = String(options.redirectUri)
  const { protocol, hostname } = new URL(redirectUri)
  if (protocol !== 'https:' && (protocol !== 'http:' || classifyHost(hostname) !== 'loopback'))
    throw new TypeError(`redirectUri must use https, or http on loopback: ${redirectUri}`)
  const { applicationType = protocol === 'https:' ? 'web' : 'native', signInTtlMs = SIGN_IN_TTL_MS } = options
  const grant = createCodeGrant({
    name: 'authorization_code',
    options,
    applicationType,
    signInTtlMs,
    openReceiver: async () => receiver,
  })
  const parts = createProviderParts(grant, options)
  const signIns = createStoredSignIns({ store: parts.store, owner: parts.owner, ttlMs: signInTtlMs })
  const receiver: RedirectReceiver = {
    redirectUri,
    signIn: (attempt, context) => signIn(attempt, context, { authorize: options.authorize, signIns }),
    close() {},
  }
  return {
    ...parts.provider,
    async finishSignIn(response) {
      const parameters = parametersOf(response)
      const [state = '', second] = parameters.getAll('state')
      if (second !== undefined) throw new AuthError('state_mismatch', 'The authorization response has more than one state')
      await signIns.finish(state, (pending) => redeemAndSave({ state, pending, parameters }, grant, parts))
    },
  }
}

interface SignInParts extends Pick<AuthorizationCodeOptions, 'authorize'> {
  readonly signIns: StoredSignIns
}

/** Starts a sign-in, and finishes it with the response that `authorize` returns or that any process receives. */
async function signIn(attempt: SignInAttempt, context: GrantContext, { authorize, signIns }: SignInParts): Promise<TokenSet> {
  const { url, state, verifier, redirectUri, dynamicClient: client } = attempt
  const { endpoint, server, resource, scope, dpop, signal } = context
  await signIns.save(state, {
    endpoint: endpoint.href,
    server,
    resource,
    redirectUri,
    verifier,
    ...withoutUndefined({ scope, client }),
    ...(dpop && { dpopKey: dpop.storedKey }),
  })
  const response = await raceAbort(
    authorize(url, { state, issuer: server.issuer, resource, scopes: splitScopes(scope), signal }),
    signal,
  )
  if (response === undefined) return signIns.wait(state, signal)
  return signIns.finish(state, () => attempt.redeem(parametersOf(response)))
}

interface RefusedSignIn {
  readonly context: GrantContext
  readonly grant: CodeGrant
  readonly client: ClientIdentity
  /** `offline_access` is requested only to get a refresh token. */
  readonly isOfflineAccessOptional: boolean
}

/** Records why a sign-in was refused that this process cannot start again, so that the next one is different. */
async function recordRefusal(error: unknown, { context, grant, client, isOfflineAccessOptional }: RefusedSignIn): Promise<void> {
  if (!(error instanceof AuthError)) return
  const mayBlame = isOfflineAccessOptional && hasOfflineAccess(context.scope) && mayRefuseOfflineAccess(error)
  if (mayBlame) await saveServerLimits(context, { refusesOfflineAccess: true })
  else if (refusalOf(error)) await grant.registrar.forget(context, client)
}

interface ReceivedResponse {
  readonly state: string
  readonly pending: StartedSignIn
  readonly parameters: URLSearchParams
}

/** Redeems the response to a sign-in that was started elsewhere, and stores the tokens. */
async function redeemAndSave(
  { state, pending, parameters }: ReceivedResponse,
  grant: CodeGrant,
  { managerOptionsOf }: ProviderParts,
): Promise<TokenSet> {
  const { server, resource, scope, redirectUri, verifier, client: dynamicClient, dpopKey } = pending
  const endpoint = new URL(pending.endpoint)
  const manager = managerOptionsOf(endpoint)
  const { store, tokenStore, fetch, checkBrowserUrl, dpopKeys } = manager
  const dpop = dpopKey && (await dpopKeys.forStored(dpopKey))
  if (dpopKey && !dpop)
    throw new AuthError('token_refused', 'This process lacks the DPoP key of the sign-in: set `dpop: { persist: true }`')
  const signal = new AbortController().signal
  const context: GrantContext = { endpoint, server, resource, scope, store, fetch, checkBrowserUrl, dpop, signal }
  const client = await grant.client(context, {
    accessToken: '',
    tokenType: 'bearer',
    ...(dynamicClient && { client: dynamicClient }),
  })
  if (!client) throw new AuthError('registration_failed', 'The client of the sign-in is not configured in this process')
  if (dynamicClient) await grant.registrar.recordSignIn(context, client, 'returned')
  const tokens = await redeemResponse(parameters, { state, verifier, redirectUri, client }, context).catch(async (error) => {
    const isOfflineAccessOptional = !hasOfflineAccess(manager.scope)
    await recordRefusal(error, { context, grant, client, isOfflineAccessOptional })
    throw error
  })
  const complete: TokenSet = dynamicClient ? { ...tokens, client: dynamicClient } : tokens
  await tokenStore.saveBinding({ server, resource })
  await tokenStore.saveTokens({ server, resource }, toStoredTokens(complete, scope, dpop))
  return complete
}

function parametersOf(response: string | URL | URLSearchParams): URLSearchParams {
  return response instanceof URLSearchParams ? response : new URL(response).searchParams
}
