import { type CoarseTimer, type CoarseTimers, createCoarseTimers } from '../../../../../util/src/coarse-timers.ts'
import type { Auth } from '../../../jsonrpc/exchange.ts'

/** A stream whose token has expired already was accepted within the tolerance for clocks. It may not reconnect in a loop. */
const MIN_STREAM_MS = 5000

let timers: CoarseTimers | undefined

/**
 * Calls `onExpiry` when the authorization of a caller expires, up to a second late. Returns undefined if it does not expire. Long-lived streams
 * end then, so that nobody receives messages with a token that the server would refuse; clients reconnect with a new one.
 */
export function watchTokenExpiry(auth: Auth | undefined, onExpiry: () => void): CoarseTimer | undefined {
  if (auth?.expiresAt === undefined) return undefined
  const ms = auth.expiresAt * 1000 - Date.now()
  timers ??= createCoarseTimers({ keepAlive: false })
  return timers.schedule(ms > 0 ? ms : MIN_STREAM_MS, onExpiry)
}
