import { backoffMs } from '../../util/backoff.ts'
import { unref } from '../../util/timers.ts'
import type { UpstreamState } from '../api/status.ts'

/** Whether a server is available. While it is not, requests fail immediately, and the server is tried again in the background. */
export interface UpstreamHealth {
  readonly state: UpstreamState
  /** Why the server is not available. */
  readonly error: unknown
  /** The number of failures since the last success. */
  readonly failures: number
  /** When the server is tried again, in milliseconds since 1970. */
  readonly nextAttemptAt: number | undefined
  /** Since when the server is not available, in milliseconds since 1970. */
  readonly unavailableSince: number | undefined
  /** Whether requests should fail immediately. */
  readonly isFailing: boolean
  /** A connection is being opened. */
  connecting(): void
  /** A connection was opened. */
  success(): void
  /** The server cannot be reached. */
  failure(error: unknown): void
  /** The server could be reached, and refused this caller. */
  refused(error: unknown): void
  /** A connection was opened: the server is available, and is watched for a while. */
  opened(): void
  /**
   * A connection was lost. If a request can be repeated, finds out whether the server is still there. A server that is lost again and again soon
   * after it was opened is not opened again at once.
   */
  lost(error: unknown, isRetryable: boolean): void
  close(): void
}

export interface UpstreamHealthOptions {
  /** Tries to reach the server. Absent if only a caller can do that. */
  readonly probe?: (() => Promise<unknown>) | undefined
  readonly onChange: (health: UpstreamHealth) => void
}

const BACKOFF = { firstMs: 1000, maxMs: 30_000 }
/** A connection that lasts so long is stable. */
const STABLE_MS = 10_000
/** So many connections in a row may be lost sooner before the server counts as not available. */
const MAX_QUICK_LOSSES = 3
/** After so many failures in a row, the server is tried again only when it is needed. */
const MAX_BACKGROUND_ATTEMPTS = 1000

export function createUpstreamHealth({ probe, onChange }: UpstreamHealthOptions): UpstreamHealth {
  let state: UpstreamState = 'idle'
  let error: unknown
  let failures = 0
  let nextAttemptAt: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isProbing = false
  let unavailableSince: number | undefined
  const losses = createLossCounter()

  const set = (next: UpstreamState): void => {
    if (state === next || state === 'closed') return
    state = next
    onChange(health)
  }
  const clear = (): void => {
    clearTimeout(timer)
    timer = undefined
    nextAttemptAt = undefined
  }
  const attempt = async (): Promise<void> => {
    clear()
    if (!probe || isProbing || state === 'closed') return
    isProbing = true
    try {
      await probe()
      isProbing = false
      health.success()
    } catch (reason) {
      isProbing = false
      // A request that was lost meanwhile has scheduled the next attempt.
      if (!timer) health.failure(reason)
    }
  }
  const health: UpstreamHealth = {
    get state() {
      return state
    },
    get error() {
      return error
    },
    get failures() {
      return failures
    },
    get nextAttemptAt() {
      return nextAttemptAt
    },
    get unavailableSince() {
      return unavailableSince
    },
    get isFailing() {
      return state === 'failing' && (isProbing || timer !== undefined)
    },
    connecting() {
      if (state === 'idle') set('connecting')
    },
    success() {
      clear()
      error = undefined
      failures = 0
      unavailableSince = undefined
      set('ready')
    },
    failure(reason) {
      if (state === 'closed' || health.isFailing) return
      clear()
      error = reason
      unavailableSince ??= Date.now()
      const ms = backoffMs(failures++, BACKOFF)
      if (failures <= MAX_BACKGROUND_ATTEMPTS) {
        nextAttemptAt = Date.now() + ms
        timer = unref(setTimeout(() => void attempt(), ms))
      }
      if (state === 'failing') onChange(health)
      else set('failing')
    },
    refused(reason) {
      error = reason
      if (state === 'connecting') set('idle')
    },
    opened() {
      losses.opened()
      // A program that was started may still exit: the response to the probe decides.
      if (!isProbing) health.success()
    },
    lost(reason, isRetryable) {
      if (state !== 'ready') return
      const quickLosses = losses.lost()
      if (quickLosses > MAX_QUICK_LOSSES) {
        failures = quickLosses - MAX_QUICK_LOSSES
        health.failure(reason)
      } else if (isRetryable && !timer) {
        // The connection notices its end right after its requests.
        timer = setTimeout(() => void attempt(), 0)
      }
    },
    close() {
      clear()
      set('closed')
    },
  }
  return health
}

/** Counts connections in a row that were lost soon after they were opened. */
function createLossCounter(): { opened(): void; lost(): number } {
  let openedAt = 0
  let isLost = false
  let quickLosses = 0
  return {
    opened() {
      openedAt = Date.now()
      isLost = false
    },
    lost() {
      if (!isLost) quickLosses = Date.now() - openedAt < STABLE_MS ? quickLosses + 1 : 0
      isLost = true
      return quickLosses
    },
  }
}
