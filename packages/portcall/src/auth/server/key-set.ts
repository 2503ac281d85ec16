import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { VerifierUnavailable } from './errors.ts'
import type { Fetched } from './outside.ts'

/** When keys are fetched again. Milliseconds. */
export interface KeySetOptions {
  readonly fetch: () => Promise<Fetched>
  /** Keys that are older are fetched again before they are used. */
  readonly maxAgeMs: number
  /** Keys are fetched at most so often, however many unknown keys are named to us. */
  readonly pauseMs: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Keys that could not be fetched again are good for so long. */
const STALE_MS = 24 * 60 * 60_000

/**
 * Keeps the keys of an issuer, and fetches them again when they are old or when a token names one that is not among them: that is how keys
 * are changed. While the issuer cannot be reached, the keys that were there last are good for another day.
 */
export function createKeySet(jose: typeof import('jose'), options: KeySetOptions): JWTVerifyGetKey {
  const { maxAgeMs, pauseMs, now } = options
  let find: JWTVerifyGetKey | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let fetching: Promise<void> | undefined

  const load = async (): Promise<void> => {
    triedAt = now()
    const { status, json } = await options.fetch()
    if (status !== 200 || !isKeySet(json)) throw new VerifierUnavailable('The keys of the issuer cannot be read')
    find = jose.createLocalJWKSet(json)
    fetchedAt = now()
  }
  const reload = (): Promise<void> => (fetching ??= load().finally(() => (fetching = undefined)))
  const mayReload = (): boolean => fetching !== undefined || now() - triedAt >= pauseMs

  return async (header, token) => {
    const age = now() - fetchedAt
    if (age >= maxAgeMs && (mayReload() || !find)) await reload().catch((error) => rethrowUnless(find && age < STALE_MS, error))
    if (!find) throw new VerifierUnavailable('The keys of the issuer are not known')
    try {
      return await find(header, token)
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSNoMatchingKey) || !mayReload()) throw error
      await reload()
      return find(header, token)
    }
  }
}

function rethrowUnless(condition: unknown, error: unknown): void {
  if (!condition) throw error
}

function isKeySet(json: JsonObject): json is JsonObject & JSONWebKeySet {
  return Array.isArray(json.keys)
}
