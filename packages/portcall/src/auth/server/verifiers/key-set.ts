import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import { VerifierUnavailableError } from '../errors.ts'
import type { JsonResponse } from '../issuer-fetch.ts'

export interface KeySetOptions {
  readonly fetch: () => Promise<JsonResponse>
  /** Older keys are fetched again before they are used. Milliseconds. */
  readonly cacheTtlMs: number
  /** Minimum time between two requests, however many unknown keys tokens name. Milliseconds. */
  readonly cooldownDelayMs: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long keys may be used while they cannot be fetched again. */
const STALE_TTL_MS = 24 * 60 * 60_000

/**
 * Caches the keys of an issuer. Fetches them again when they are old, or when a token names an unknown key, to support key rotation. If the
 * issuer cannot be reached, the last keys remain valid for a day.
 */
export function createKeySet(jose: typeof import('jose'), options: KeySetOptions): JWTVerifyGetKey {
  const { cacheTtlMs, cooldownDelayMs, now } = options
  let find: JWTVerifyGetKey | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let attemptedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  const load = async (): Promise<void> => {
    attemptedAt = now()
    const { status, json } = await options.fetch()
    if (status !== 200 || !isKeySet(json)) throw new VerifierUnavailableError('The key set of the issuer cannot be read')
    find = jose.createLocalJWKSet(json)
    fetchedAt = now()
  }
  const reload = (): Promise<void> => (fetching ??= load().finally(() => (fetching = undefined)))
  const mayReload = (): boolean => fetching !== undefined || now() - attemptedAt >= cooldownDelayMs

  return async (header, token) => {
    const age = now() - fetchedAt
    if (age >= cacheTtlMs && (mayReload() || !find))
      await reload().catch((error) => {
        if (!find || age >= STALE_TTL_MS) throw error
      })
    if (!find) throw new VerifierUnavailableError('The key set of the issuer is not available')
    try {
      return await find(header, token)
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSNoMatchingKey) || !mayReload()) throw error
      await reload()
      return find(header, token)
    }
  }
}

function isKeySet(json: JsonObject): json is JsonObject & JSONWebKeySet {
  return Array.isArray(json.keys)
}
