import { randomId } from '../../../../util/src/random.ts'
import { OAuthError, type OAuthRequest } from './request.ts'
import { nowSeconds, type ServerSettings } from './settings.ts'

/** Verifies DPoP proofs ([RFC 9449 §4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)). */
export interface ProofVerifier {
  /** Returns the thumbprint of the key that a request proves to have, or `undefined` without a proof. @throws OAuthError */
  verify(request: OAuthRequest): Promise<string | undefined>
  /** The nonce that proofs must contain, if any. */
  readonly nonce: string | undefined
  /** Replaces the nonce. */
  renewNonce(): void
}

const ALGORITHMS = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519']
const CLOCK_TOLERANCE_S = 60

export function createProofVerifier({ jose, options: { dpop = {} }, now }: ServerSettings): ProofVerifier {
  const usedIds = new Set<string>()
  let nonce = dpop.nonces ? randomId() : undefined

  return {
    get nonce() {
      return nonce
    },
    renewNonce() {
      nonce = randomId()
    },
    async verify({ headers, method, url }) {
      const proof = headers['dpop']
      if (proof === undefined && dpop.required) throw new OAuthError('invalid_dpop_proof', 'A proof is required')
      if (proof === undefined) return undefined
      const { payload, protectedHeader } = await jose
        .jwtVerify(proof, jose.EmbeddedJWK, { typ: 'dpop+jwt', algorithms: ALGORITHMS, currentDate: new Date(now()) })
        .catch(() => {
          throw new OAuthError('invalid_dpop_proof', 'The signature of the proof is invalid')
        })
      const { htm, htu, iat = 0, jti } = payload
      if (htm !== method || htu !== url) throw new OAuthError('invalid_dpop_proof', 'The proof is for another request')
      if (Math.abs(iat - nowSeconds({ now })) > CLOCK_TOLERANCE_S)
        throw new OAuthError('invalid_dpop_proof', 'The proof is too old')
      if (nonce !== undefined && payload['nonce'] !== nonce)
        throw new OAuthError('use_dpop_nonce', 'The proof requires a nonce', { headers: { 'dpop-nonce': nonce } })
      if (jti === undefined || usedIds.has(jti)) throw new OAuthError('invalid_dpop_proof', 'The proof was used before')
      usedIds.add(jti)
      return jose.calculateJwkThumbprint(protectedHeader.jwk ?? {})
    },
  }
}
