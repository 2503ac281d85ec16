import type { JWK, JWTVerifyGetKey } from 'jose'
import { fromBase64 } from '../../../../../util/src/base64.ts'
import { checkOptions, type OptionNames } from '../../../../../util/src/check-options.ts'
import { isSameIssuer } from '../../../../../util/src/issuer.ts'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import { InvalidTokenError } from '../errors.ts'
import { createIssuerFetch, type IssuerFetchOptions } from '../issuer-fetch.ts'
import type { VerifiedToken, Verifier } from '../types.ts'
import { readClaims } from './claims.ts'
import { createKeySet } from './key-set.ts'

export interface JwtOptions extends IssuerFetchOptions {
  /** The `iss` of tokens. The case of its host, a default port and the slash of an empty path do not matter. */
  readonly issuer: string
  /** The URL of the issuer's JSON Web Key Set. */
  readonly jwksUri?: string
  /** The key set itself, instead of `jwksUri`. */
  readonly keys?: {
    /** The public keys. A token names its key by `kid`. */
    readonly keys: readonly JsonWebKey[]
  }
  /** The `aud` of tokens, if it is not the URL of the resource. */
  readonly audience?: string | readonly string[]
  /**
   * Lets tokens without `sub` belong to the client itself. Set it if programs call with client credentials, and their tokens have no `sub`.
   * Tokens that show a user, by claims such as `sid` or `email`, are refused nevertheless. Default: false, tokens without `sub` are refused.
   */
  readonly clientTokens?: boolean
  /** Accepted signing algorithms, all asymmetric. Default: `JWT_ALGORITHMS`. */
  readonly algorithms?: readonly string[]
  /** Accepted difference between clocks, in milliseconds. Default: 30,000. */
  readonly clockToleranceMs?: number
  /** How long keys are cached, in milliseconds. Default: 600,000. */
  readonly jwksCacheTtlMs?: number
  /** Minimum time between two requests for keys, however many unknown keys tokens name, in milliseconds. Default: 5000. */
  readonly jwksCooldownDelayMs?: number
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

/** The signing algorithms that `jwt` supports. All of them are asymmetric, so that the server needs no secret. */
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
const JWT_SYNTAX = /^[\w-]+\.[\w-]+\.[\w-]*$/
const JWKS_CACHE_TTL_MS = 10 * 60_000
const JWKS_COOLDOWN_DELAY_MS = 5000
const CLOCK_TOLERANCE_MS = 30_000

const NAMES: OptionNames<JwtOptions> = {
  issuer: 'nonempty',
  jwksUri: 'url',
  keys: 'object',
  audience: 'text or texts',
  clientTokens: 'boolean',
  algorithms: 'texts',
  clockToleranceMs: 1,
  jwksCacheTtlMs: 1,
  jwksCooldownDelayMs: 1,
  now: 1,
  fetch: 1,
  allow: 'array',
}
const KEYS = 'Use "jwksUri"'
const ADVICE = {
  jwksUrl: KEYS,
  jwks_uri: KEYS,
  jwks: 'Use "jwksUri" for a URL, or "keys" for the key set itself',
  secret: 'Symmetric keys are not supported. Use "jwksUri" or "keys"',
  key: 'Use "keys": { keys: [jwk] }',
  aud: 'Use "audience"',
  iss: 'Use "issuer"',
}
const REQUIRED = { issuer: 'Pass the "iss" of the tokens: jwt({ issuer, jwksUri })' }

type Jose = typeof import('jose')

/**
 * Creates a verifier for the JWT access tokens of one issuer (RFC 9068). A token needs an issuer, an audience, an expiry, and a signature by a
 * key of the issuer with one of the accepted algorithms.
 *
 * @throws TypeError for a missing or invalid option, or an unsupported algorithm.
 */
export function jwt(options: JwtOptions): Verifier {
  checkOptions('jwt()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const {
    issuer,
    audience,
    clientTokens,
    algorithms = JWT_ALGORITHMS,
    clockToleranceMs = CLOCK_TOLERANCE_MS,
    now = Date.now,
  } = options
  const unsupported = algorithms.find((name) => !JWT_ALGORITHMS.includes(name))
  if (unsupported !== undefined)
    throw new TypeError(`Unsupported JWT algorithm ${unsupported}; use one of ${JWT_ALGORITHMS.join(', ')}`)
  const createKeys = keysOf(options, now)
  const clockTolerance = clockToleranceMs / 1000
  let loading: Promise<{ jose: Jose; keys: JWTVerifyGetKey }> | undefined

  const verify = async (token: string, iss: string): Promise<JsonObject> => {
    const { jose, keys } = await (loading ??= import('jose').then((jose) => ({ jose, keys: createKeys(jose) })))
    try {
      const checks = { issuer: iss, algorithms: [...algorithms], clockTolerance, requiredClaims: ['aud', 'exp'] }
      const { payload, protectedHeader } = await jose.jwtVerify(token, keys, { ...checks, currentDate: new Date(now()) })
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) throw new InvalidTokenError('The token is not an access token')
      return payload
    } catch (error) {
      throw error instanceof jose.errors.JOSEError ? new InvalidTokenError(reasonOf(error, jose), { cause: error }) : error
    }
  }
  return {
    issuers: [issuer],
    ...(audience !== undefined && { audience: typeof audience === 'string' ? [audience] : audience }),
    ...(clientTokens !== undefined && { clientTokens }),
    async verify(token): Promise<VerifiedToken | undefined> {
      const iss = unverifiedIssuer(token)
      if (typeof iss !== 'string' || !isSameIssuer(iss, issuer)) return undefined
      return readClaims(await verify(token, iss), issuer)
    },
  }
}

function keysOf({ jwksUri, keys, ...options }: JwtOptions, now: () => number): (jose: Jose) => JWTVerifyGetKey {
  if (keys) return (jose) => jose.createLocalJWKSet({ keys: [...keys.keys] as JWK[] })
  if (jwksUri === undefined) throw new TypeError('jwt needs the keys of the issuer: pass `jwksUri` or `keys`')
  const fetch = createIssuerFetch(jwksUri, options)
  const { jwksCacheTtlMs: cacheTtlMs = JWKS_CACHE_TTL_MS, jwksCooldownDelayMs: cooldownDelayMs = JWKS_COOLDOWN_DELAY_MS } =
    options
  return (jose) => createKeySet(jose, { fetch, cacheTtlMs, cooldownDelayMs, now })
}

/** Returns the `iss` of a token without verifying it, or `undefined` if the token is not a JWT. */
function unverifiedIssuer(token: string): unknown {
  if (!JWT_SYNTAX.test(token)) return undefined
  const [, payload = ''] = token.split('.')
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64(payload.replaceAll('-', '+').replaceAll('_', '/')))).iss
  } catch {
    return undefined
  }
}

function reasonOf(error: Error, { errors }: Jose): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} of the token is not valid`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is signed with an algorithm that is not allowed'
  return 'The token is malformed or its signature is invalid'
}
