import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { InsufficientScopeHeaders, OnRequest, RequestHead } from '../../protocol/http.ts'
import { isScope } from './challenge.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import { createDpopVerifier, type DpopFailure, type DpopVerifier, type DpopVerifierOptions } from './dpop-verifier.ts'
import { createErrorResponses, type ErrorResponses } from './error-responses.ts'
import { InvalidTokenError, VerifierUnavailableError } from './errors.ts'
import { createMetadataHook } from './metadata.ts'
import { type ProtectedResource, parseResource, parseSecureUrl } from './resource.ts'
import type { AuthErrorResponse, TokenAuth, VerifiedToken, Verifier } from './types.ts'
import { type TokenRequirements, validateToken } from './validate-token.ts'

/** A verifier, or only its `verify` function. */
export type VerifierInput = Verifier | Verifier['verify']

/** Options of `protect`. */
export interface ProtectOptions {
  /** The URL by which clients reach the server. Tokens must be issued for exactly this resource. */
  readonly resource: string
  /** The issuers where clients get tokens. Without any, no metadata is served, and clients need keys from elsewhere. */
  readonly authorizationServers?: readonly string[]
  /** Verifies tokens. Of several verifiers, the first that knows a token decides. */
  readonly verify: VerifierInput | readonly VerifierInput[]
  /** The scopes that every request needs. */
  readonly scopes?: readonly string[]
  /** The scopes in the metadata, for clients that do not know which scopes they need. Default: `scopes`. */
  readonly scopesSupported?: readonly string[]
  /** The scopes that other scopes imply: `{ 'notes:write': ['notes:read'] }`. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /** Accepts tokens that are bound to a key. Default: false, such tokens are refused. */
  readonly dpop?: boolean | DpopVerifierOptions
  /** Origins of web pages that may call the server, in addition to the origin of the resource. */
  readonly allowedOrigins?: readonly string[]
  /** Additional members of the metadata: `resource_name`, `resource_documentation`. */
  readonly metadata?: JsonObject
  /** Accepted difference between clocks, in milliseconds. Default: 30,000. */
  readonly clockToleranceMs?: number
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

/** The authorization of one protected server. */
export interface Protection {
  readonly resource: ProtectedResource
  /** Identifies the caller, or returns an error response. Rejects only with unexpected errors of a custom verifier. */
  authenticate(request: RequestHead): Promise<TokenAuth | AuthErrorResponse>
  /** Serves the metadata, and the endpoints of verifiers. */
  readonly onRequest: OnRequest
  readonly insufficientScopeHeaders: InsufficientScopeHeaders
}

const CLOCK_TOLERANCE_MS = 30_000
const NAMES: OptionNames<ProtectOptions> = {
  resource: 'text',
  authorizationServers: 'texts',
  verify: 1,
  scopes: 'texts',
  scopesSupported: 'texts',
  impliedScopes: 'object',
  dpop: 1,
  allowedOrigins: 'texts',
  metadata: 'object',
  clockToleranceMs: 1,
  now: 1,
}
const RESOURCE = 'Pass the URL by which clients reach the server'
const VERIFY = 'Pass verify: jwt({ issuer, jwksUri }), or another verifier of portcall/auth/server'
const ADVICE = {
  verifier: VERIFY,
  issuer: VERIFY,
  jwksUri: VERIFY,
  audience: 'Tokens must be issued for "resource"',
  scope: "Use scopes: ['…']",
}

/**
 * Creates the authorization of one server.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 *
 * @throws TypeError for invalid URLs or scopes.
 */
export function createProtection(options: ProtectOptions): Protection {
  checkOptions('protect()', options, { names: NAMES, advice: ADVICE, required: { verify: VERIFY, resource: RESOURCE } })
  for (const one of [options.verify].flat() as readonly unknown[]) checkVerifier(one)
  const { clockToleranceMs = CLOCK_TOLERANCE_MS, impliedScopes = {}, scopes = [], now = Date.now, metadata } = options
  const resource = parseResource(options.resource)
  const verifiers = [options.verify].flat().map((one): Verifier => (typeof one === 'function' ? { verify: one } : one))
  const authorizationServers =
    options.authorizationServers ?? verifiers.flatMap(({ onRequest, issuers = [] }) => (onRequest ? issuers : []))
  const scopesSupported = options.scopesSupported ?? scopes
  checkIssuersAndScopes(authorizationServers, [...scopes, ...scopesSupported])
  const dpop = options.dpop
    ? createDpopVerifier(resource.uri, { now, ...(options.dpop === true ? {} : options.dpop) })
    : undefined
  const metadataUrl = authorizationServers.length > 0 ? resource.metadataUrl : undefined
  const errors = createErrorResponses({ metadataUrl, scopes, scopesSupported, dpop })
  const metadataHook = createMetadataHook(resource, {
    authorizationServers,
    scopesSupported,
    metadata,
    dpopAlgorithms: dpop?.algorithms,
    dpopRequired: dpop?.required,
  })
  const requirements: TokenRequirements = {
    resource: resource.uri,
    issuers: authorizationServers,
    impliedScopes,
    clockToleranceMs,
    now,
  }

  return {
    resource,
    authenticate: createAuthenticate({ verifiers, requirements, errors, scopes, dpop }),
    onRequest: combineHooks([metadataHook, ...verifiers.flatMap(({ onRequest }) => onRequest ?? [])]),
    insufficientScopeHeaders: errors.insufficientScopeHeaders,
  }
}

function checkVerifier(one: unknown): void {
  const isVerifier =
    typeof one === 'function' || (typeof one === 'object' && typeof (one as Verifier | null)?.verify === 'function')
  if (!isVerifier) throw new TypeError(`protect(): verify must be a verifier or its function, not ${describe(one)}. ${VERIFY}`)
}

function checkIssuersAndScopes(authorizationServers: readonly string[], scopes: readonly string[]): void {
  for (const issuer of authorizationServers) parseSecureUrl('authorizationServers', issuer)
  const invalid = scopes.find((scope) => !isScope(scope))
  if (invalid !== undefined) throw new TypeError(`${JSON.stringify(invalid)} is not a valid scope`)
  if (scopes.includes('offline_access'))
    throw new TypeError('offline_access is a scope of authorization servers, not of resources')
}

interface AuthenticateDeps {
  readonly verifiers: readonly Verifier[]
  readonly requirements: TokenRequirements
  readonly errors: ErrorResponses
  readonly scopes: readonly string[]
  readonly dpop: DpopVerifier | undefined
}

const CREDENTIALS_ERRORS = {
  none: (errors: ErrorResponses) => errors.missingToken(),
  several: (errors: ErrorResponses) => errors.invalidRequest('There is more than one Authorization header'),
  malformed: (errors: ErrorResponses) => errors.invalidToken('The token is malformed'),
}

function createAuthenticate({ verifiers, requirements, errors, scopes, dpop }: AuthenticateDeps): Protection['authenticate'] {
  const verify = async (token: string): Promise<{ verified: VerifiedToken; auth: TokenAuth }> => {
    for (const verifier of verifiers) {
      const verified = await verifier.verify(token)
      if (verified) return { verified, auth: validateToken(verified, verifier, requirements) }
    }
    throw new InvalidTokenError('The token is unknown')
  }
  /** Checks the proof that a key-bound token needs. */
  const checkBinding = async (
    request: RequestHead,
    { scheme, token }: Credentials,
    keyThumbprint: string | undefined,
  ): Promise<DpopFailure | undefined> => {
    if (keyThumbprint === undefined && (scheme === 'dpop' || dpop?.required))
      throw new InvalidTokenError('The token is not bound to a key, as the DPoP scheme or this server requires')
    if (keyThumbprint === undefined) return undefined
    if (!dpop) throw new InvalidTokenError('The token is bound to a key, but this server does not support DPoP')
    if (scheme === 'bearer') throw new InvalidTokenError('The token is bound to a key: send it with the scheme DPoP and a proof')
    return dpop.verify(request, { token, keyThumbprint })
  }
  return async (request) => {
    const credentials = readCredentials(request)
    if (typeof credentials === 'string') return CREDENTIALS_ERRORS[credentials](errors)
    try {
      const { verified, auth } = await verify(credentials.token)
      const failure = await checkBinding(request, credentials, verified.keyThumbprint)
      if (failure) return errors.invalidProof(failure)
      return scopes.every((scope) => auth.scopes.includes(scope)) ? auth : errors.insufficientScope(auth)
    } catch (error) {
      if (error instanceof InvalidTokenError) return errors.invalidToken(error.message)
      if (error instanceof VerifierUnavailableError) return errors.unavailable()
      throw error
    }
  }
}

/** Returns a hook that calls the hooks in turn until one of them responds. A hook that returns a promise counts as one that responds. */
function combineHooks(hooks: readonly OnRequest[]): OnRequest {
  return (request) => {
    for (const hook of hooks) {
      const response = hook(request)
      if (response) return response
    }
    return undefined
  }
}
