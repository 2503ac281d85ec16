import type { Auth } from '../../jsonrpc/exchange.ts'
import type { InsufficientScopeHeaders } from '../../protocol/http.ts'
import { type ChallengeParameters, challengeScope, writeChallenge } from './challenge.ts'
import type { DpopFailure, DpopVerifier } from './dpop-verifier.ts'
import type { AuthErrorResponse } from './types.ts'

export interface ErrorResponsesOptions {
  readonly metadataUrl: string | undefined
  /** The scopes that every request needs. */
  readonly scopes: readonly string[]
  readonly scopesSupported: readonly string[]
  readonly dpop: DpopVerifier | undefined
}

/** The error responses of a protected resource (RFC 6750, section 3; RFC 9449, section 7.1). */
export interface ErrorResponses {
  missingToken(): AuthErrorResponse
  invalidRequest(description: string): AuthErrorResponse
  invalidToken(description: string): AuthErrorResponse
  invalidProof(failure: DpopFailure): AuthErrorResponse
  /** The caller lacks scopes that every request needs. */
  insufficientScope(auth: Auth): AuthErrorResponse
  /** The token cannot be verified at the moment. */
  unavailable(): AuthErrorResponse
  /** Returns the headers of a 403 response to a request that needs more scopes. */
  insufficientScopeHeaders: InsufficientScopeHeaders
}

const RETRY_AFTER_S = 5

/** Creates the error responses of one resource. Each challenge contains the URL of its metadata. */
export function createErrorResponses({ metadataUrl, scopes, scopesSupported, dpop }: ErrorResponsesOptions): ErrorResponses {
  const algs = dpop?.algorithms.join(' ')
  const challenges = (bearer: ChallengeParameters, proof: ChallengeParameters = bearer): Readonly<Record<string, string>> => {
    const all = [
      ...(dpop?.required ? [] : [writeChallenge('Bearer', { ...bearer, resource_metadata: metadataUrl })]),
      ...(dpop ? [writeChallenge('DPoP', { ...proof, algs, resource_metadata: metadataUrl })] : []),
    ]
    return { 'www-authenticate': all.join(', ') }
  }
  const scope = challengeScope(scopes)
  const insufficientScopeHeaders: InsufficientScopeHeaders = (needed, auth) => {
    const granted = (auth?.scopes ?? []).filter((one) => scopesSupported.includes(one))
    const all = challengeScope(scopes, needed, granted)
    return challenges({ error: 'insufficient_scope', error_description: 'The token lacks scopes', scope: all })
  }

  return {
    missingToken: () => ({ status: 401, headers: challenges({ scope }), message: 'An access token is required' }),
    invalidRequest: (message) => ({
      status: 400,
      headers: challenges({ error: 'invalid_request', error_description: message }),
      message,
    }),
    invalidToken: (message) => ({
      status: 401,
      headers: challenges({ error: 'invalid_token', error_description: message, scope }),
      message,
    }),
    invalidProof: ({ error, description, nonce }) => ({
      status: 401,
      headers: {
        ...challenges({ scope }, { error, error_description: description, scope }),
        ...(nonce !== undefined && { 'dpop-nonce': nonce }),
      },
      message: description,
    }),
    insufficientScope: (auth) => ({
      status: 403,
      headers: insufficientScopeHeaders([], auth),
      message: 'The token lacks scopes',
    }),
    unavailable: () => ({
      status: 503,
      headers: { 'retry-after': String(RETRY_AFTER_S) },
      message: 'The token cannot be verified at the moment',
    }),
    insufficientScopeHeaders,
  }
}
