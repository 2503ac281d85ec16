/**
 * Proofs of possession: a token that is bound to a key is worth nothing to whoever has only the token. Each request carries a statement about
 * itself, signed with the key. https://www.rfc-editor.org/rfc/rfc9449
 */
import { enterNewest } from '../../jsonrpc/newest.ts'
import type { Dpop } from './types.ts'

/** A key of this client. */
export interface ProofKey {
  readonly algorithm: string
  readonly privateKey: CryptoKey
  /** Goes out with each proof. */
  readonly publicJwk: JsonWebKey
  /** Rests beside the tokens: the private key where it is to outlive the process, else what it is recognized by. */
  readonly storedJwk: JsonWebKey
}

/** The last nonce of each origin, for all keys of a client. */
export type Nonces = Map<string, string>

const MAX_ORIGINS = 100

/** Makes what signs requests with a key. Each proof is new, and good for its request alone. */
export async function createDpop({ algorithm, privateKey, publicJwk, storedJwk }: ProofKey, nonces: Nonces): Promise<Dpop> {
  const jose = await import('jose')
  const header = { typ: 'dpop+jwt', alg: algorithm, jwk: publicJwk as Record<string, unknown> }
  const digest = async (text: string): Promise<string> =>
    jose.base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))

  return {
    key: storedJwk,
    async proof({ method, url, accessToken }) {
      const nonce = nonces.get(url.origin)
      const claims = {
        jti: crypto.randomUUID(),
        htm: method,
        htu: url.origin + url.pathname,
        ...(accessToken !== undefined && { ath: await digest(accessToken) }),
        ...(nonce !== undefined && { nonce }),
      }
      return new jose.SignJWT(claims).setProtectedHeader(header).setIssuedAt().sign(privateKey)
    },
    heard({ url, nonce, proof }) {
      if (!nonce) return false
      enterNewest(nonces, [url.origin, nonce], MAX_ORIGINS)
      return proof !== undefined && jose.decodeJwt(proof)['nonce'] !== nonce
    },
  }
}
