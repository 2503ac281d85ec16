/**
 * Tokens that are bound to a key (RFC 9449): whoever sends one proves with each request, by a small JWT, to hold the key. A token that was
 * stolen is worth nothing then, and neither is a proof, which is good once, for one request, and for minutes.
 */
import type { JWTPayload, ProtectedHeaderParameters } from 'jose'
import { createMemoryStore } from '../../stores/memory-store.ts'
import { createSealer, type Sealer } from '../../stores/seal.ts'
import type { Store } from '../../stores/store.ts'
import { isSame, sha256 } from './digest.ts'
import { isSameResource } from './resource.ts'
import type { GuardedRequest } from './types.ts'

/** How proofs are checked. */
export interface DpopOptions {
  /** Refuses tokens that are bound to no key. Default: false. */
  readonly required?: boolean
  /** Where proofs are remembered that were seen, so that each is good once; shared by all nodes. Default: in memory. */
  readonly store?: Store
  /** Wants a nonce of this server in each proof, so that none can be made in advance. Default: false. */
  readonly nonce?: boolean
  /** Seal the nonces; see `generateKey`. Needed where several nodes serve. Default: a random key of this process. */
  readonly keys?: readonly string[]
  /** The signing algorithms of proofs. Default: ES256, EdDSA and others that are asymmetric. */
  readonly algorithms?: readonly string[]
  /** How old a proof may be, and how far ahead its clock, in seconds. Default: 300. */
  readonly maxAgeS?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** A proof that was refused: why, and the nonce that a new one needs. */
export interface ProofRefusal {
  readonly error: 'invalid_dpop_proof' | 'use_dpop_nonce'
  readonly description: string
  readonly nonce?: string
}

/** The token that comes with a proof. */
export interface Bound {
  readonly token: string
  /** The thumbprint of the key that the token is bound to. */
  readonly boundKey: string
}

/** Checks proofs. */
export interface Dpop {
  readonly required: boolean
  readonly algorithms: readonly string[]
  /** Says why the proof of a request is not good, or nothing. A proof that was good is used up. */
  check(request: GuardedRequest, bound: Bound): Promise<ProofRefusal | undefined>
}

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']
const MAX_AGE_S = 300
const NONCE_MS = 5 * 60_000
const MAX_PROOF_LENGTH = 8 * 1024
const MAX_ID_LENGTH = 256
const NONCE = 'dpop-nonce'
const KEY = 'dpop/'

type Jose = typeof import('jose')
interface Proof {
  readonly header: ProtectedHeaderParameters
  readonly payload: JWTPayload
  readonly jkt: string
}

/** Makes the check for one resource. @throws TypeError for an algorithm that is not asymmetric. */
export function createDpop(uri: string, options: DpopOptions): Dpop {
  const { required = false, algorithms = ALGORITHMS, maxAgeS = MAX_AGE_S, nonce: wantsNonce = false, now = Date.now } = options
  const weak = algorithms.find((name) => !ALGORITHMS.includes(name))
  if (weak !== undefined) throw new TypeError(`${weak} is not among the algorithms of proofs: ${ALGORITHMS.join(', ')}`)
  const { store = createMemoryStore({ now }) } = options
  const sealer = createSealer({ now, ...(options.keys && { keys: options.keys }) })

  const refuse = (description: string): ProofRefusal => ({ error: 'invalid_dpop_proof', description })
  const fault = async (
    { payload, jkt }: Proof,
    request: GuardedRequest,
    { token, boundKey }: Bound,
  ): Promise<string | undefined> => {
    const { htm, htu, iat, jti, ath } = payload
    if (htm !== request.method) return 'The proof is for another method'
    if (typeof htu !== 'string' || !isSameResource(withoutQuery(htu), withoutQuery(uri)))
      return 'The proof is for another address'
    if (typeof iat !== 'number' || Math.abs(now() / 1000 - iat) > maxAgeS) return 'The proof is too old, or from the future'
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) return 'The proof has no id'
    if (typeof ath !== 'string' || !isSame(ath, await sha256(token))) return 'The proof is for another token'
    return isSame(jkt, boundKey) ? undefined : 'The token is bound to another key'
  }
  const isNew = async ({ payload: { jti, iat = 0 }, jkt }: Proof): Promise<boolean> => {
    const ttlMs = Math.max(1000, (iat + maxAgeS + 1) * 1000 - now())
    return store.swap(`${KEY}${await sha256(`${jkt} ${jti}`)}`, { expected: undefined, value: '1', ttlMs })
  }
  const lacksNonce = async ({ payload: { nonce } }: Proof): Promise<boolean> =>
    wantsNonce && (typeof nonce !== 'string' || !(await opens(sealer, nonce)))

  return {
    required,
    algorithms,
    async check(request, bound) {
      if (request.headerCount('dpop') > 1) return refuse('There is more than one proof')
      const text = request.header('dpop')
      if (text === undefined) return refuse('There is no proof')
      const proof = text.length > MAX_PROOF_LENGTH ? undefined : await readProof(await import('jose'), text, algorithms)
      if (!proof) return refuse('The proof does not verify')
      const wrong = await fault(proof, request, bound)
      if (wrong !== undefined) return refuse(wrong)
      if (await lacksNonce(proof)) {
        const nonce = await sealer.seal(NONCE, null, { ttlMs: NONCE_MS })
        return { error: 'use_dpop_nonce', description: 'The proof needs the nonce of this server', nonce }
      }
      return (await isNew(proof)) ? undefined : refuse('The proof was used before')
    },
  }
}

/** Reads a proof and checks its signature with the key that it brings along. */
async function readProof(jose: Jose, text: string, algorithms: readonly string[]): Promise<Proof | undefined> {
  try {
    const { payload, protectedHeader } = await jose
      .compactVerify(text, jose.EmbeddedJWK, { algorithms: [...algorithms] })
      .then(({ payload, protectedHeader }) => ({
        payload: JSON.parse(new TextDecoder().decode(payload)) as JWTPayload,
        protectedHeader,
      }))
    const { jwk, typ } = protectedHeader
    if (typ !== 'dpop+jwt' || !jwk || 'd' in jwk || 'k' in jwk) return undefined
    return { header: protectedHeader, payload, jkt: await jose.calculateJwkThumbprint(jwk) }
  } catch {
    return undefined
  }
}

function opens(sealer: Sealer, nonce: string): Promise<boolean> {
  return sealer.open(NONCE, nonce).then(
    () => true,
    () => false,
  )
}

function withoutQuery(uri: string): string {
  return uri.split(/[?#]/, 1)[0] ?? ''
}
