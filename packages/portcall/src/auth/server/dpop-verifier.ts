/**
 * Verifies DPoP proofs (RFC 9449). The sender of a key-bound token proves with each request that it holds the key, by signing a small JWT.
 * A stolen token is then worthless, and so is a stolen proof, which is valid once, for one request, and for a few minutes.
 */
import type { JWTPayload } from 'jose'
import { constantTimeEqual, sha256 } from '../../../../util/src/digest.ts'
import type { RequestHead } from '../../protocol/http.ts'
import { createDefaultStore } from '../../stores/open-store.ts'
import { sealerKeys } from '../../stores/sealing/key-ring.ts'
import { createSealer } from '../../stores/sealing/seal.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { isSameResource } from './resource.ts'

/** How a server verifies DPoP proofs (RFC 9449). */
export interface DpopVerifierOptions {
  /** Refuses tokens that are not bound to a key. Default: false. */
  readonly required?: boolean
  /** Stores the ids of proofs, so that each is accepted once. Share it between all nodes. Default: in memory; in workers, the store that they share. */
  readonly store?: KeyValueStore
  /** Requires a nonce of this server in each proof, so that proofs cannot be created in advance. Default: false. */
  readonly nonce?: boolean
  /** Seal the nonces; see `generateKey`. Required for several nodes. Default: a random key of this process or of its workers. */
  readonly sealingKeys?: readonly string[]
  /** Accepted signing algorithms of proofs, all asymmetric. Default: ES256, EdDSA and others. */
  readonly algorithms?: readonly string[]
  /** Maximum age of a proof, and how far its time may be in the future, in milliseconds. Default: 300,000. */
  readonly maxProofAgeMs?: number
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

/** Why a proof is not accepted, and the nonce for the next one. */
export interface DpopFailure {
  readonly error: 'invalid_dpop_proof' | 'use_dpop_nonce'
  readonly description: string
  readonly nonce?: string
}

/** A token that is bound to a key. */
export interface BoundToken {
  readonly token: string
  /** The JWK thumbprint of the key. */
  readonly keyThumbprint: string
}

export interface DpopVerifier {
  readonly required: boolean
  readonly algorithms: readonly string[]
  /** Verifies the proof of a request. Returns `undefined` if it is valid; the proof cannot be used again. */
  verify(request: RequestHead, bound: BoundToken): Promise<DpopFailure | undefined>
}

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']
const MAX_PROOF_AGE_MS = 300_000
const NONCE_TTL_MS = 5 * 60_000
const MAX_PROOF_LENGTH = 8 * 1024
const MAX_ID_LENGTH = 256
const NONCE = 'dpop-nonce'
const KEY = 'dpop/'

type Jose = typeof import('jose')
interface Proof {
  readonly payload: JWTPayload
  /** The JWK thumbprint of the key that signed the proof. */
  readonly jkt: string
}

/** Creates the verifier for a resource. @throws TypeError for an unsupported algorithm. */
export function createDpopVerifier(uri: string, options: DpopVerifierOptions): DpopVerifier {
  const { required = false, algorithms = ALGORITHMS, nonce: requireNonce = false, now = Date.now } = options
  const maxAgeS = (options.maxProofAgeMs ?? MAX_PROOF_AGE_MS) / 1000
  const unsupported = algorithms.find((name) => !ALGORITHMS.includes(name))
  if (unsupported !== undefined)
    throw new TypeError(`Unsupported DPoP algorithm ${unsupported}; use one of ${ALGORITHMS.join(', ')}`)
  const { store = createDefaultStore({ now }) } = options
  const sealer = createSealer({ now, ...sealerKeys(options.sealingKeys) })

  const invalid = (description: string): DpopFailure => ({ error: 'invalid_dpop_proof', description })
  const findMismatch = async (
    { payload, jkt }: Proof,
    request: RequestHead,
    { token, keyThumbprint }: BoundToken,
  ): Promise<string | undefined> => {
    const { htm, htu, iat, jti, ath } = payload
    if (htm !== request.method) return 'The proof is for another method'
    if (typeof htu !== 'string' || !isSameResource(withoutQuery(htu), withoutQuery(uri))) return 'The proof is for another URL'
    if (typeof iat !== 'number' || Math.abs(now() / 1000 - iat) > maxAgeS)
      return 'The proof has expired or was issued in the future'
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return 'The proof has no valid id'
    if (typeof ath !== 'string' || !constantTimeEqual(ath, await sha256(token))) return 'The proof is for another token'
    return constantTimeEqual(jkt, keyThumbprint) ? undefined : 'The token is bound to another key'
  }
  const markUsed = async ({ payload: { jti, iat = 0 }, jkt }: Proof): Promise<boolean> => {
    const ttlMs = Math.max(1000, (iat + maxAgeS + 1) * 1000 - now())
    return store.compareAndSet(`${KEY}${await sha256(`${jkt} ${jti}`)}`, { expected: undefined, value: '1', ttlMs })
  }
  /** A nonce of another resource is not accepted, even if it has the same keys. */
  const isOwnNonce = (nonce: string): Promise<boolean> =>
    sealer.open(NONCE, nonce, { binding: uri }).then(
      () => true,
      () => false,
    )
  const needsNonce = async ({ payload: { nonce } }: Proof): Promise<boolean> =>
    requireNonce && (typeof nonce !== 'string' || !(await isOwnNonce(nonce)))

  return {
    required,
    algorithms,
    async verify(request, bound) {
      if (request.headerCount('dpop') > 1) return invalid('There is more than one proof')
      const text = request.header('dpop')
      if (text === undefined) return invalid('The proof is missing')
      const proof = text.length > MAX_PROOF_LENGTH ? undefined : await readProof(await import('jose'), text, algorithms)
      if (!proof) return invalid('The proof is malformed or its signature is invalid')
      const mismatch = await findMismatch(proof, request, bound)
      if (mismatch !== undefined) return invalid(mismatch)
      if (await needsNonce(proof)) {
        const nonce = await sealer.seal(NONCE, null, { ttlMs: NONCE_TTL_MS, binding: uri })
        return { error: 'use_dpop_nonce', description: 'The proof needs a nonce of this server', nonce }
      }
      return (await markUsed(proof)) ? undefined : invalid('The proof was used before')
    },
  }
}

/** Parses a proof and verifies its signature with the key in its header. */
async function readProof(jose: Jose, text: string, algorithms: readonly string[]): Promise<Proof | undefined> {
  try {
    const { payload, protectedHeader } = await jose.compactVerify(text, jose.EmbeddedJWK, { algorithms: [...algorithms] })
    const { jwk, typ } = protectedHeader
    const claims = JSON.parse(new TextDecoder().decode(payload)) as JWTPayload
    if (typ !== 'dpop+jwt' || !jwk || 'd' in jwk || 'k' in jwk) return undefined
    return { payload: claims, jkt: await jose.calculateJwkThumbprint(jwk) }
  } catch {
    return undefined
  }
}

function withoutQuery(uri: string): string {
  return uri.split(/[?#]/, 1)[0] ?? ''
}
