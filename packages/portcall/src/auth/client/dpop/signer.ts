/**
 * Proofs of possession. A token that is bound to a key is worthless without the key: each request carries a proof, signed with the key, that is
 * valid for this request only. https://www.rfc-editor.org/rfc/rfc9449
 */
import { sha256 } from '../../../../../util/src/digest.ts'
import { setLru } from '../../../../../util/src/lru.ts'
import type { DpopSigner } from '../types.ts'

/** A key of this client. */
export interface DpopKey {
  readonly algorithm: string
  readonly privateKey: CryptoKey
  /** Sent with each proof. */
  readonly publicJwk: JsonWebKey
  /** Stored with the tokens: the private key if it is persisted, else the public key to recognize it by. */
  readonly storedJwk: JsonWebKey
}

/** The last nonce of each origin, shared by all keys of a client. */
export type Nonces = Map<string, string>

const MAX_ORIGINS = 100

export async function createDpopSigner(
  { algorithm, privateKey, publicJwk, storedJwk }: DpopKey,
  nonces: Nonces,
): Promise<DpopSigner> {
  const jose = await import('jose')
  const header = { typ: 'dpop+jwt', alg: algorithm, jwk: publicJwk as Record<string, unknown> }

  return {
    storedKey: storedJwk,
    async createProof({ method, url, accessToken }) {
      const nonce = nonces.get(url.origin)
      const claims = {
        jti: crypto.randomUUID(),
        htm: method,
        htu: url.origin + url.pathname,
        ...(accessToken !== undefined && { ath: await sha256(accessToken) }),
        ...(nonce !== undefined && { nonce }),
      }
      return new jose.SignJWT(claims).setProtectedHeader(header).setIssuedAt().sign(privateKey)
    },
    recordNonce({ url, nonce, proof }) {
      if (!nonce) return false
      setLru(nonces, [url.origin, nonce], MAX_ORIGINS)
      return proof !== undefined && jose.decodeJwt(proof)['nonce'] !== nonce
    },
  }
}
