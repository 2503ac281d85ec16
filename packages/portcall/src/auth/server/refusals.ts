import type { Auth } from '../../jsonrpc/exchange.ts'
import { type ChallengeParams, joinScopes, writeChallenge } from './challenge.ts'
import type { Dpop, ProofRefusal } from './dpop.ts'
import type { Refusal } from './types.ts'

/** What challenges tell. */
export interface RefusalOptions {
  readonly metadataUrl: string | undefined
  /** What every request needs. */
  readonly scopes: readonly string[]
  readonly scopesSupported: readonly string[]
  readonly dpop: Dpop | undefined
}

/** Why requests may not pass, each as the answer that says so (RFC 6750, section 3; RFC 9449, section 7.1). */
export interface Refusals {
  noToken(): Refusal
  badRequest(description: string): Refusal
  badToken(description: string): Refusal
  badProof(refusal: ProofRefusal): Refusal
  /** The caller lacks what every request needs. */
  lacking(auth: Auth): Refusal
  /** Nobody can tell now. */
  unavailable(): Refusal
  /** The headers that tell which scopes a request needs. */
  challenge(scopes: readonly string[], auth: Auth | undefined): Readonly<Record<string, string>>
}

const RETRY_AFTER_S = 5

/** Makes the refusals of one resource. Each challenge says where its metadata is. */
export function createRefusals({ metadataUrl, scopes, scopesSupported, dpop }: RefusalOptions): Refusals {
  const algs = dpop?.algorithms.join(' ')
  const challenges = (bearer: ChallengeParams, proof: ChallengeParams = bearer): Readonly<Record<string, string>> => {
    const written = [
      ...(dpop?.required ? [] : [writeChallenge('Bearer', { ...bearer, resource_metadata: metadataUrl })]),
      ...(dpop ? [writeChallenge('DPoP', { ...proof, algs, resource_metadata: metadataUrl })] : []),
    ]
    return { 'www-authenticate': written.join(', ') }
  }
  const scope = joinScopes(scopes)
  const challenge: Refusals['challenge'] = (needed, auth) => {
    const held = (auth?.scopes ?? []).filter((one) => scopesSupported.includes(one))
    const all = joinScopes(scopes, needed, held)
    return challenges({ error: 'insufficient_scope', error_description: 'The token lacks scopes', scope: all })
  }

  return {
    noToken: () => ({ status: 401, headers: challenges({ scope }), message: 'An access token is needed' }),
    badRequest: (message) => ({
      status: 400,
      headers: challenges({ error: 'invalid_request', error_description: message }),
      message,
    }),
    badToken: (message) => ({
      status: 401,
      headers: challenges({ error: 'invalid_token', error_description: message, scope }),
      message,
    }),
    badProof: ({ error, description, nonce }) => ({
      status: 401,
      headers: {
        ...challenges({ scope }, { error, error_description: description, scope }),
        ...(nonce !== undefined && { 'dpop-nonce': nonce }),
      },
      message: description,
    }),
    lacking: (auth) => ({ status: 403, headers: challenge([], auth), message: 'The token lacks scopes' }),
    unavailable: () => ({
      status: 503,
      headers: { 'retry-after': String(RETRY_AFTER_S) },
      message: 'The token cannot be verified now',
    }),
    challenge,
  }
}
