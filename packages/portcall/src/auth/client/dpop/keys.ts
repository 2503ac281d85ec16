import { AuthError } from '../errors.ts'
import type { AuthorizationServer, DpopSigner } from '../types.ts'
import { createDpopSigner, type DpopKey, type Nonces } from './signer.ts'

/** How a client binds its tokens to a key (DPoP, RFC 9449). */
export interface DpopOptions {
  /** The signing algorithm of proofs. Default: ES256, or the first other one that the authorization server supports. */
  readonly algorithm?: string
  /** The key pair to use, for instance one in a hardware store. Its public key must be extractable. Default: a new pair. */
  readonly keyPair?: CryptoKeyPair
  /**
   * Stores the private key with the tokens, so that they outlive the process. Otherwise the key cannot be extracted, not even by your program,
   * and the tokens can be used by this process only. Default: false.
   */
  readonly persist?: boolean
}

/** The DPoP keys of one provider. */
export interface DpopKeys {
  /** Returns the key for new tokens. There is one for each signing algorithm. @throws AuthError `token_refused` */
  forNew(server: AuthorizationServer): Promise<DpopSigner>
  /** Returns the key that stored tokens are bound to, or `undefined` if this process does not have it. */
  forStored(jwk: JsonWebKey): Promise<DpopSigner | undefined>
}

const PREFERRED_ALGORITHMS: readonly string[] = ['ES256', 'Ed25519', 'EdDSA', 'ES384', 'PS256', 'RS256']

/** Creates the keys of a provider. A key is generated when it is first needed. */
export function createDpopKeys(options: DpopOptions): DpopKeys {
  const nonces: Nonces = new Map()
  const signers = new Map<string, Promise<DpopSigner>>()

  const create = async (algorithm: string): Promise<DpopSigner> => createDpopSigner(await createKey(algorithm, options), nonces)
  const forAlgorithm = (algorithm: string): Promise<DpopSigner> => {
    const signer = signers.get(algorithm) ?? create(algorithm)
    signers.set(algorithm, signer)
    signer.catch(() => signers.delete(algorithm))
    return signer
  }

  return {
    forNew: async (server) => forAlgorithm(chooseAlgorithm(server, options)),
    async forStored(jwk) {
      for (const signer of await Promise.all(signers.values())) if (isSameKey(signer.storedKey, jwk)) return signer
      return jwk.d === undefined ? undefined : createDpopSigner(await importKey(jwk), nonces)
    },
  }
}

function chooseAlgorithm(
  { issuer, dpop_signing_alg_values_supported: supported }: AuthorizationServer,
  options: DpopOptions,
): string {
  const preferred = options.algorithm === undefined ? PREFERRED_ALGORITHMS : [options.algorithm]
  const available = options.keyPair ? preferred.slice(0, 1) : preferred
  const algorithm = available.find((one) => supported === undefined || supported.includes(one))
  if (algorithm === undefined)
    throw new AuthError('token_refused', `${issuer} does not support DPoP with ${available.join(', ')}`)
  return algorithm
}

async function createKey(algorithm: string, { keyPair, persist = false }: DpopOptions): Promise<DpopKey> {
  const jose = await import('jose')
  const { privateKey, publicKey } = keyPair ?? (await jose.generateKeyPair(algorithm, { extractable: persist }))
  const publicJwk = await jose.exportJWK(publicKey)
  const storedJwk = persist ? await jose.exportJWK(privateKey) : publicJwk
  return { algorithm, privateKey, publicJwk, storedJwk: { ...storedJwk, alg: algorithm } }
}

async function importKey(jwk: JsonWebKey): Promise<DpopKey> {
  const jose = await import('jose')
  const { alg = 'ES256', kty = '', crv, x, y, n, e } = jwk
  const publicJwk = Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined))
  const privateKey = await jose.importJWK({ ...jwk, kty }, alg)
  if (privateKey instanceof Uint8Array) throw new TypeError('The stored DPoP key is not an asymmetric key')
  return { algorithm: alg, privateKey, publicJwk, storedJwk: jwk }
}

function isSameKey(one: JsonWebKey, other: JsonWebKey): boolean {
  return one.kty === other.kty && one.x === other.x && one.y === other.y && one.n === other.n
}
