import { createDpop, type Nonces, type ProofKey } from './dpop.ts'
import { AuthError } from './errors.ts'
import type { AuthorizationServer, Dpop } from './types.ts'

/** How tokens are bound to a key. */
export interface DpopOptions {
  /** How proofs are signed. Default: ES256, or the first of the others that the authorization server supports. */
  readonly algorithm?: string
  /** A pair of the host's own, for instance one that a platform keeps; its public key can be extracted. Default: a new pair. */
  readonly keys?: CryptoKeyPair
  /**
   * The private key rests in the store beside the tokens, so that these outlive the process. Without it nobody can take the key out of the
   * process, not even its host, and tokens are good as long as the process lives. Default: false.
   */
  readonly keep?: boolean
}

/** The keys of one provider. */
export interface DpopKeys {
  /** The key for tokens that are asked for: one for all that an authorization server issues. @throws AuthError `token_refused` */
  forNew(server: AuthorizationServer): Promise<Dpop>
  /** The key that stored tokens are bound to; nothing when this process does not have it. */
  forStored(jwk: JsonWebKey): Promise<Dpop | undefined>
}

const PREFERRED: readonly string[] = ['ES256', 'Ed25519', 'EdDSA', 'ES384', 'PS256', 'RS256']

/** Makes what keeps the keys; a key is made when it is needed. */
export function createDpopKeys(options: DpopOptions): DpopKeys {
  const nonces: Nonces = new Map()
  const own = new Map<string, Promise<Dpop>>()

  const make = async (algorithm: string): Promise<Dpop> => createDpop(await createKey(algorithm, options), nonces)
  const forAlgorithm = (algorithm: string): Promise<Dpop> => {
    const known = own.get(algorithm) ?? make(algorithm)
    own.set(algorithm, known)
    known.catch(() => own.delete(algorithm))
    return known
  }

  return {
    forNew: async (server) => forAlgorithm(chooseAlgorithm(server, options)),
    async forStored(jwk) {
      for (const one of await Promise.all(own.values())) if (isSameKey(one.key, jwk)) return one
      return jwk.d === undefined ? undefined : createDpop(await readKey(jwk), nonces)
    },
  }
}

function chooseAlgorithm(
  { issuer, dpop_signing_alg_values_supported: supported }: AuthorizationServer,
  options: DpopOptions,
): string {
  const wanted = options.algorithm === undefined ? PREFERRED : [options.algorithm]
  const ours = options.keys ? wanted.slice(0, 1) : wanted
  const found = ours.find((algorithm) => supported === undefined || supported.includes(algorithm))
  if (found === undefined)
    throw new AuthError('token_refused', `${issuer} binds tokens to no key that is signed with by ${ours.join(', ')}`)
  return found
}

async function createKey(algorithm: string, { keys, keep = false }: DpopOptions): Promise<ProofKey> {
  const jose = await import('jose')
  const { privateKey, publicKey } = keys ?? (await jose.generateKeyPair(algorithm, { extractable: keep }))
  const publicJwk = await jose.exportJWK(publicKey)
  const storedJwk = keep ? await jose.exportJWK(privateKey) : publicJwk
  return { algorithm, privateKey, publicJwk, storedJwk: { ...storedJwk, alg: algorithm } }
}

async function readKey(jwk: JsonWebKey): Promise<ProofKey> {
  const jose = await import('jose')
  const { alg = 'ES256', kty = '', crv, x, y, n, e } = jwk
  const publicJwk = Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined))
  const privateKey = await jose.importJWK({ ...jwk, kty }, alg)
  if (privateKey instanceof Uint8Array) throw new TypeError('A stored key is none that signs')
  return { algorithm: alg, privateKey, publicJwk, storedJwk: jwk }
}

function isSameKey(one: JsonWebKey, other: JsonWebKey): boolean {
  return one.kty === other.kty && one.x === other.x && one.y === other.y && one.n === other.n
}
