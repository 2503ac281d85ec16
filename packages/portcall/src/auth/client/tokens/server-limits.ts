import { normalizeIssuer } from '../../../../../util/src/issuer.ts'
import type { GrantContext } from '../types.ts'
import { parseStored } from './token-store.ts'

/** Optional parts of requests that an authorization server refused before. */
export interface AuthorizationServerLimits {
  /** It has refused a sign-in because of `offline_access`. */
  readonly refusesOfflineAccess?: boolean
  /** The parameters with which it refreshes tokens. */
  readonly refresh?: RefreshForm
}

/** Which optional parameters a refresh contains. */
export interface RefreshForm {
  readonly resource: boolean
  readonly scope: boolean
}

/** How long limits are remembered. After that they are tried again, because servers change. */
const LIMITS_TTL_MS = 30 * 86_400_000
/** The start of the keys of limits, which all accounts at an authorization server share. */
export const LIMITS_PREFIX = 'portcall:server-limits:'

type LimitsContext = Pick<GrantContext, 'store' | 'server'>

const keyOf = ({ server }: LimitsContext): string => LIMITS_PREFIX + JSON.stringify([normalizeIssuer(server.issuer)])

export async function loadServerLimits(context: LimitsContext): Promise<AuthorizationServerLimits> {
  return parseStored<AuthorizationServerLimits>(await context.store.get(keyOf(context))) ?? {}
}

/** Remembers limits, in addition to those that are known. */
export async function saveServerLimits(context: LimitsContext, limits: AuthorizationServerLimits): Promise<void> {
  const all: AuthorizationServerLimits = { ...(await loadServerLimits(context)), ...limits }
  await context.store.set(keyOf(context), JSON.stringify(all), { ttlMs: LIMITS_TTL_MS })
}
