import type * as Jose from 'jose'
import type { KeySet } from './options.ts'

/** The keys that sign tokens. */
export interface SigningKeys {
  /** The public keys that the server publishes. */
  readonly published: KeySet
  /** Signs claims with the newest key. Members of the header that are `undefined` are omitted. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>
  /** Replaces the key that signs. The old key remains published unless `forget` is set. */
  rotate(options?: { forget?: boolean }): Promise<void>
}

interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JsonWebKey
}

export async function createSigningKeys(jose: typeof Jose, algorithm: string): Promise<SigningKeys> {
  let count = 0
  const generate = async (): Promise<SigningKey> => {
    const { publicKey, privateKey } = await jose.generateKeyPair(algorithm)
    const kid = `key-${++count}`
    const jwk: JsonWebKey = { ...(await jose.exportJWK(publicKey)), ...{ kid, alg: algorithm, use: 'sig' } }
    return { kid, privateKey, jwk }
  }
  let newest = await generate()
  let keys = [newest]
  return {
    get published() {
      return { keys: keys.map(({ jwk }) => jwk) }
    },
    sign: (claims, header = {}) =>
      new jose.SignJWT({ ...claims }).setProtectedHeader({ alg: algorithm, kid: newest.kid, ...header }).sign(newest.privateKey),
    async rotate({ forget = false } = {}) {
      newest = await generate()
      keys = forget ? [newest] : [newest, ...keys]
    },
  }
}
