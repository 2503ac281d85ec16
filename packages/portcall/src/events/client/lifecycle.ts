import { backoffMs } from '../../../../util/src/backoff.ts'
import { delay } from '../../../../util/src/timers.ts'
import { TimeoutError } from '../../client/errors.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { retryDelayOf } from '../../jsonrpc/retryable.ts'
import { eventErrorName, isFinalEventError } from '../../protocol/events.ts'
import type { EventMode, EventSession } from './session.ts'
import type { EventSubscriptionStatus } from './types.ts'

/** The states of a subscription, from its start to its end. */
export interface Lifecycle {
  readonly status: EventSubscriptionStatus
  /** Aborted at the end. */
  readonly signal: AbortSignal
  /** Resolves when the server has accepted the subscription. @throws why it ended before that. */
  readonly active: Promise<void>
  /** Resolves when the subscription was closed. @throws why it ended otherwise. */
  readonly ended: Promise<void>
  activate(): void
  /** Called when an attempt has failed that is repeated. Returns the number of such attempts before. */
  retry(): number
  /** Ends the subscription: because it was closed, or with an error. Returns false if it has ended before. */
  end(error?: unknown): boolean
}

/** Creates the lifecycle of a subscription. */
export function createLifecycle(onEnd: () => void): Lifecycle {
  const controller = new AbortController()
  const active = createSettler()
  const ended = createSettler()
  let status: EventSubscriptionStatus = 'pending'
  let failures = 0
  return {
    get status() {
      return status
    },
    signal: controller.signal,
    active: active.promise,
    ended: ended.promise,
    activate() {
      if (controller.signal.aborted) return
      failures = 0
      status = 'active'
      active.resolve()
    },
    retry() {
      status = 'retrying'
      return failures++
    },
    end(error) {
      if (controller.signal.aborted) return false
      status = error === undefined ? 'closed' : 'terminated'
      controller.abort(error ?? new Error('The subscription was closed'))
      active.reject(controller.signal.reason)
      if (error === undefined) ended.resolve()
      else ended.reject(error)
      onEnd()
      return true
    },
  }
}

const RETRY_DELAY = { firstMs: 250, maxMs: 30_000 }

/** Makes attempts until the subscription ends. @throws the error of the first attempt; an error that does not pass. */
export async function runAttempts({ attempt }: EventMode, session: EventSession, lifecycle: Lifecycle): Promise<void> {
  const { signal } = lifecycle
  while (!signal.aborted) {
    try {
      await attempt()
    } catch (error) {
      if (signal.aborted) return
      if (isUnknownCursor(error, session)) {
        session.inbox.reset()
        await session.inbox.add({ truncated: true })
        continue
      }
      if (lifecycle.status === 'pending' || isFinal(error)) throw error
      const failures = lifecycle.retry()
      session.onError(error)
      await delay(Math.max(retryDelayOf(error) ?? 0, backoffMs(failures, RETRY_DELAY)), signal).catch(() => {})
    }
  }
}

/** Reports whether the server refuses the position alone: it may have restarted with other positions. */
function isUnknownCursor(error: unknown, { inbox }: EventSession): boolean {
  if (inbox.cursor === null || !(error instanceof RpcError) || eventErrorName(error) !== 'Unsupported') return false
  return isObject(error.data) && error.data.feature === 'cursor'
}

/** Reports whether another attempt is pointless. Errors of the server that are not known may pass. */
function isFinal(error: unknown): boolean {
  if (retryDelayOf(error) !== undefined || error instanceof TimeoutError) return false
  if (!(error instanceof RpcError)) return true
  return isFinalEventError(error)
}

interface Settler {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: unknown): void
}

/** Creates a promise whose rejection nobody has to handle. */
function createSettler(): Settler {
  let resolve!: () => void
  let reject!: (error: unknown) => void
  const promise = new Promise<void>((...settle) => {
    ;[resolve, reject] = settle
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}
