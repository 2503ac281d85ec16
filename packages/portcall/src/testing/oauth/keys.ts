import type * as Jose from 'jose'
import type { KeySet } from './options.ts'

/** The keys that tokens are signed with. */
export interface KeyRing {
  /** The public keys that are served. */
  readonly published: KeySet
  /** Signs claims with the newest key; members of the header that are `undefined` are left out. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>
  /** Puts a new key in the place of the one that signs; the old one is served on, unless it is to be forgotten. */
  rotate(options?: { forget?: boolean }): Promise<void>
}

interface Pair {
  readonly kid: string
  readonly key: CryptoKey
  readonly jwk: JsonWebKey
}

/** Makes a ring with one key in it. */
export async function createKeyRing(jose: typeof Jose, algorithm: string): Promise<KeyRing> {
  let made = 0
  const create = async (): Promise<Pair> => {
    const { publicKey, privateKey } = await jose.generateKeyPair(algorithm)
    const kid = `key-${++made}`
    const jwk: JsonWebKey = { ...(await jose.exportJWK(publicKey)), ...{ kid, alg: algorithm, use: 'sig' } }
    return { kid, key: privateKey, jwk }
  }
  let newest = await create()
  let pairs = [newest]
  return {
    get published() {
      return { keys: pairs.map(({ jwk }) => jwk) }
    },
    sign: (claims, header = {}) =>
      new jose.SignJWT({ ...claims }).setProtectedHeader({ alg: algorithm, kid: newest.kid, ...header }).sign(newest.key),
    async rotate({ forget = false } = {}) {
      newest = await create()
      pairs = forget ? [newest] : [newest, ...pairs]
    },
  }
}
