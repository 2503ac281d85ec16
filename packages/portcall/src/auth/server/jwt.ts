import type { JWK, JWTVerifyGetKey } from 'jose'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { readClaims } from './claims.ts'
import { TokenRefused } from './errors.ts'
import { createKeySet } from './key-set.ts'
import { createOutside, type OutsideOptions } from './outside.ts'
import type { Token, Verifier } from './types.ts'

/** Whose JWTs are verified, and how. */
export interface JwtOptions extends OutsideOptions {
  /** Exactly as it stands in the `iss` of tokens. */
  readonly issuer: string
  /** Where the issuer publishes its keys. */
  readonly jwksUri?: string
  /** The keys themselves, instead of `jwksUri`. */
  readonly keys?: { readonly keys: readonly JsonWebKey[] }
  /** What stands in the `aud` of tokens, where the issuer does not write the URL of the resource there. */
  readonly audience?: string | readonly string[]
  /** The signing algorithms that are taken: asymmetric ones. Default: those of `JWT_ALGORITHMS`. */
  readonly algorithms?: readonly string[]
  /** How far clocks may differ, in seconds. Default: 30. */
  readonly clockToleranceS?: number
  /** Keys are fetched again after so long, in milliseconds. Default: 10 minutes. */
  readonly maxKeyAgeMs?: number
  /** For an unknown key, keys are fetched at most so often, in milliseconds. Default: 5 s. */
  readonly keyPauseMs?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** The signing algorithms that are taken by default. None of them has a secret that the server would have to know. */
export const JWT_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt']
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]*$/
const KEY_AGE_MS = 10 * 60_000
const KEY_PAUSE_MS = 5000
const TOLERANCE_S = 30

type Jose = typeof import('jose')

/**
 * Makes the verifier of one issuer that signs its access tokens (RFC 9068). A token needs an issuer, an audience and an expiry, a signature by
 * a key of the issuer, and one of the pinned algorithms.
 *
 * @throws TypeError for options that no token could be verified with.
 */
export function jwt(options: JwtOptions): Verifier {
  const { issuer, audience, algorithms = JWT_ALGORITHMS, clockToleranceS = TOLERANCE_S, now = Date.now } = options
  const weak = algorithms.find((name) => !JWT_ALGORITHMS.includes(name))
  if (weak !== undefined)
    throw new TypeError(`${weak} is not among the algorithms that can be taken: ${JWT_ALGORITHMS.join(', ')}`)
  const loadKeys = keysOf(options, now)
  let loading: Promise<{ jose: Jose; keys: JWTVerifyGetKey }> | undefined

  const read = async (token: string): Promise<JsonObject> => {
    const { jose, keys } = await (loading ??= import('jose').then((jose) => ({ jose, keys: loadKeys(jose) })))
    try {
      const checks = { issuer, algorithms: [...algorithms], clockTolerance: clockToleranceS, requiredClaims: ['aud', 'exp'] }
      const { payload, protectedHeader } = await jose.jwtVerify(token, keys, { ...checks, currentDate: new Date(now()) })
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) throw new TokenRefused('The token is not an access token')
      return payload
    } catch (error) {
      throw error instanceof jose.errors.JOSEError ? new TokenRefused(reasonOf(error, jose), { cause: error }) : error
    }
  }
  return {
    issuers: [issuer],
    ...(audience !== undefined && { audience: typeof audience === 'string' ? [audience] : audience }),
    async verify(token): Promise<Token | undefined> {
      if (issuerOf(token) !== issuer) return undefined
      return readClaims(await read(token), issuer)
    },
  }
}

function keysOf({ jwksUri, keys, ...options }: JwtOptions, now: () => number): (jose: Jose) => JWTVerifyGetKey {
  if (keys) return (jose) => jose.createLocalJWKSet({ keys: [...keys.keys] as JWK[] })
  if (jwksUri === undefined) throw new TypeError('jwt needs the keys of the issuer: jwksUri, or keys')
  const fetch = createOutside(jwksUri, options)
  const { maxKeyAgeMs: maxAgeMs = KEY_AGE_MS, keyPauseMs: pauseMs = KEY_PAUSE_MS } = options
  return (jose) => createKeySet(jose, { fetch, maxAgeMs, pauseMs, now })
}

/** The issuer that a token names, which nobody has verified; nothing for what is no JWT. */
function issuerOf(token: string): unknown {
  if (!SHAPE.test(token)) return undefined
  const [, payload = ''] = token.split('.')
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))).iss
  } catch {
    return undefined
  }
}

function reasonOf(error: Error, { errors }: Jose): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} of the token does not hold`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is signed with an algorithm that is not allowed'
  return 'The token does not verify'
}
