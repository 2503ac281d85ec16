import { backoffMs } from '../../../../util/src/backoff.ts'
import { unref } from '../../../../util/src/timers.ts'
import type { UpstreamState } from '../api/status.ts'

/** The availability of a server. While it is not available, requests fail immediately, and the server is tried again in the background. */
export interface UpstreamHealth {
  readonly state: UpstreamState
  /** The reason why the server is not available. */
  readonly error: unknown
  /** The number of failures since the last success. */
  readonly failures: number
  /** The time of the next attempt, in milliseconds since 1970. */
  readonly nextAttemptAt: number | undefined
  /** The time since which the server is not available, in milliseconds since 1970. */
  readonly unavailableSince: number | undefined
  /** Requests should fail immediately. */
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
  /** A connection was lost. Probes the server if a request can be repeated. Backs off after repeated quick disconnects. */
  lost(error: unknown, isRetryable: boolean): void
  close(): void
}

export interface UpstreamHealthOptions {
  /** Tries to reach the server. Absent if only a caller can. */
  readonly probe?: (() => Promise<unknown>) | undefined
  readonly onChange: (health: UpstreamHealth) => void
}

const BACKOFF = { firstMs: 1000, maxMs: 30_000 }
/** Minimum uptime of a stable connection. */
const STABLE_MS = 10_000
/** Quick disconnects in a row before the server is marked unavailable. */
const MAX_QUICK_LOSSES = 3
/** Failures in a row after which the server is tried again only when it is needed. */
const MAX_BACKGROUND_ATTEMPTS = 1000

/** Health whose values its owner changes. They are values, because each request reads one. */
type MutableHealth = { -readonly [member in keyof UpstreamHealth]: UpstreamHealth[member] }

export function createUpstreamHealth({ probe, onChange }: UpstreamHealthOptions): UpstreamHealth {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isProbing = false
  const losses = createLossCounter()

  const update = (): void => {
    health.isFailing = health.state === 'failing' && (isProbing || timer !== undefined)
  }
  const set = (next: UpstreamState): void => {
    if (health.state === next || health.state === 'closed') return
    health.state = next
    update()
    onChange(health)
  }
  const clear = (): void => {
    clearTimeout(timer)
    timer = undefined
    health.nextAttemptAt = undefined
    update()
  }
  const setProbing = (value: boolean): void => {
    isProbing = value
    update()
  }
  const attempt = async (): Promise<void> => {
    clear()
    if (!probe || isProbing || health.state === 'closed') return
    setProbing(true)
    try {
      await probe()
      setProbing(false)
      health.success()
    } catch (reason) {
      setProbing(false)
      // A lost request has scheduled the next attempt.
      if (!timer) health.failure(reason)
    }
  }
  const health: MutableHealth = {
    state: 'idle',
    error: undefined,
    failures: 0,
    nextAttemptAt: undefined,
    unavailableSince: undefined,
    isFailing: false,
    connecting() {
      if (health.state === 'idle') set('connecting')
    },
    success() {
      clear()
      health.error = undefined
      health.failures = 0
      health.unavailableSince = undefined
      set('ready')
    },
    failure(reason) {
      if (health.state === 'closed' || health.isFailing) return
      clear()
      health.error = reason
      health.unavailableSince ??= Date.now()
      const ms = backoffMs(health.failures++, BACKOFF)
      if (health.failures <= MAX_BACKGROUND_ATTEMPTS) {
        health.nextAttemptAt = Date.now() + ms
        timer = unref(setTimeout(() => void attempt(), ms))
        update()
      }
      if (health.state === 'failing') onChange(health)
      else set('failing')
    },
    refused(reason) {
      health.error = reason
      if (health.state === 'connecting') set('idle')
    },
    opened() {
      losses.opened()
      // A program that was started may still exit: the response to the probe decides.
      if (!isProbing) health.success()
    },
    lost(reason, isRetryable) {
      if (health.state !== 'ready') return
      const quickLosses = losses.lost()
      if (quickLosses > MAX_QUICK_LOSSES) {
        health.failures = quickLosses - MAX_QUICK_LOSSES
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
