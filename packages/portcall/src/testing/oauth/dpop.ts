import { type Ground, random, secondsOf } from './ground.ts'
import { type OAuthRequest, Refusal } from './request.ts'

/** Looks at the proofs of possession that clients send ([RFC 9449 §4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)). */
export interface Proofs {
  /** The thumbprint of the key that a request proves to have; none without a proof. */
  check(request: OAuthRequest): Promise<string | undefined>
  /** The nonce that proofs have to carry, if they have to. */
  readonly nonce: string | undefined
  /** Puts a new nonce in the place of the old one. */
  renewNonce(): void
}

const ALGORITHMS = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519']
const TOLERANCE_S = 60

/** Makes the proofs of a server. */
export function createProofs({ jose, options: { dpop = {} }, now }: Ground): Proofs {
  const seen = new Set<string>()
  let nonce = dpop.nonces ? random() : undefined

  const refuseNonce = (): Refusal =>
    new Refusal('use_dpop_nonce', 'The proof needs a nonce', { headers: { 'dpop-nonce': nonce ?? '' } })

  return {
    get nonce() {
      return nonce
    },
    renewNonce() {
      nonce = random()
    },
    async check({ headers, method, url }) {
      const proof = headers['dpop']
      if (proof === undefined && dpop.required) throw new Refusal('invalid_dpop_proof', 'A proof is needed')
      if (proof === undefined) return undefined
      const { payload, protectedHeader } = await jose
        .jwtVerify(proof, jose.EmbeddedJWK, { typ: 'dpop+jwt', algorithms: ALGORITHMS, currentDate: new Date(now()) })
        .catch(() => {
          throw new Refusal('invalid_dpop_proof', 'The proof is not signed as it should be')
        })
      const { htm, htu, iat = 0, jti } = payload
      if (htm !== method || htu !== url) throw new Refusal('invalid_dpop_proof', 'The proof is of another request')
      if (Math.abs(iat - secondsOf({ now })) > TOLERANCE_S) throw new Refusal('invalid_dpop_proof', 'The proof is not new')
      if (nonce !== undefined && payload['nonce'] !== nonce) throw refuseNonce()
      if (jti === undefined || seen.has(jti)) throw new Refusal('invalid_dpop_proof', 'The proof was used before')
      seen.add(jti)
      return jose.calculateJwkThumbprint(protectedHeader.jwk ?? {})
    },
  }
}
