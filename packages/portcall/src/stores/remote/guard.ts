/*
 * A server that state rests on may be away. While it is, nobody waits for it: the first operation that gets no answer in time fails, and
 * from then on all do at once, until a probe has been answered.
 */

import { pause } from '../../jsonrpc/waiting.ts'
import { StoreUnavailable } from '../unavailable.ts'
import { within } from '../within.ts'
import { RemoteFailure } from './failure.ts'
import { createPauses, rest } from './pauses.ts'

export interface GuardOptions {
  /** What the server is called in messages. */
  name: string
  /** An operation fails after so many milliseconds. */
  timeoutMs: number
  /** Asks the server for any answer. */
  probe: Operation<unknown>
  /** Is told when an answer has not come in time: the connection may be dead. */
  onSilence?(): void
  /** Is told when the server answers again. */
  onBack?(): void
}

export type Operation<T> = (isLate: () => boolean) => Promise<T>

/** The way to a server that may be away. */
export interface Guard {
  /**
   * Does something on the server. What was not sent is tried again within the time; what has an unknown fate, only if it may be done
   * twice. Rejects with `StoreUnavailable`; anything but a `RemoteFailure` passes. When it comes to sending, `isLate` tells the operation
   * whether nobody waits for it any more.
   */
  run<T>(operation: Operation<T>, repeatable: boolean): Promise<T>
  /** Ends all attempts to reach the server. */
  close(): void
}

interface Trial {
  readonly failure: RemoteFailure
  readonly repeatable: boolean
  readonly leftMs: number
}

const FIRST_PAUSE_MS = 25
const FIRST_PROBE_MS = 100

/** What callers are told of what a server has refused, or has not answered. */
export function refusal(name: string, cause: unknown): StoreUnavailable {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailable(`${name} does not do what it is asked: ${why}`, { cause })
}

export function createGuard({ name, timeoutMs, probe, onSilence, onBack }: GuardOptions): Guard {
  const ended = new AbortController()
  let away: StoreUnavailable | undefined

  const timed = <T>(operation: Operation<T>, ms: number): Promise<T> => {
    let late = false
    return within(
      operation(() => late),
      ms,
      () => {
        late = true
        onSilence?.()
        return new RemoteFailure('unknown', new Error(`no answer within ${timeoutMs} ms`))
      },
    )
  }
  const recover = async (): Promise<void> => {
    const pauses = createPauses(FIRST_PROBE_MS)
    while (away && !ended.signal.aborted) {
      await rest(pauses(), ended.signal)
      const answered = timed(probe, timeoutMs).then(
        () => true,
        () => false,
      )
      if (!(await answered)) continue
      away = undefined
      onBack?.()
    }
  }
  const leave = (cause: unknown): StoreUnavailable => {
    if (away) return away
    away = refusal(name, cause)
    void recover()
    return away
  }

  /** What the caller is told of a failure; nothing when there is a point in trying again. */
  const verdict = ({ failure, repeatable, leftMs }: Trial): StoreUnavailable | undefined => {
    if (failure.fate === 'refused') return refusal(name, failure)
    if (leftMs <= 0 || away || ended.signal.aborted) return leave(failure)
    return failure.fate === 'unknown' && !repeatable ? refusal(name, failure) : undefined
  }
  const attempt = async <T>(operation: Operation<T>, repeatable: boolean): Promise<T> => {
    const deadline = performance.now() + timeoutMs
    const pauses = createPauses(FIRST_PAUSE_MS)
    for (;;) {
      const answer = timed(operation, Math.max(deadline - performance.now(), 1))
      const outcome = await answer.then((value) => ({ value }), onlyFailures)
      if (!(outcome instanceof RemoteFailure)) return outcome.value
      const leftMs = deadline - performance.now()
      const error = verdict({ failure: outcome, repeatable, leftMs })
      if (error) throw error
      await pause(Math.min(pauses(), leftMs))
    }
  }

  return {
    async run(operation, repeatable) {
      if (ended.signal.aborted) throw new StoreUnavailable(`${name} is not used any more: the stores were closed`)
      if (away) throw away
      return attempt(operation, repeatable)
    },
    close: () => ended.abort(),
  }
}

function onlyFailures(error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error
  throw error
}
