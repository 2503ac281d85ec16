import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { CallFailure, Lane } from './lane.ts'

/** The plan of a measurement. */
export interface LoadPlan {
  /** How long to call before the measurement starts. */
  readonly warmUpMs: number
  /** Infinity: until the number of calls is reached. */
  readonly durationMs: number
  /** The number of calls after the warm-up. The measurement ends when they have ended. */
  readonly maxCalls: number
  /** Calls a second, at fixed times. Without it, each lane makes its next call when it has the response to the last one. */
  readonly perSecond: number | undefined
}

/** The result of a measurement. */
export interface LoadMeasurement {
  readonly seconds: number
  /** Completed calls, failed ones included. */
  readonly calls: number
  /** The number of failed calls, by kind. */
  readonly failures: ReadonlyMap<string, number>
  /** In nanoseconds. With a fixed rate, counted from the time at which a call was due, whether or not a lane was free then. */
  readonly latency: RecordableHistogram
  /** Calls that were due and could not be sent, because no lane was free. */
  readonly unsent: number
  /** Calls that had no outcome at the end. */
  readonly pending: number
  /** How long the first of them had waited then, in milliseconds. */
  readonly longestWaitMs: number
}

const NANOSECONDS = 1e6
const now = (): number => performance.now()

/** Makes calls until the time has passed, the number of calls is reached, or the signal is aborted. Closes the lanes. */
export async function runLoad(lanes: readonly Lane[], plan: LoadPlan, signal: AbortSignal): Promise<LoadMeasurement> {
  const recorder = createRecorder(plan)
  const stop = (): void => recorder.stop()
  signal.addEventListener('abort', stop)
  const totalMs = plan.warmUpMs + plan.durationMs
  const timer = Number.isFinite(totalMs) ? setTimeout(stop, totalMs) : undefined
  const running =
    plan.perSecond === undefined
      ? runClosedLoop(lanes, recorder)
      : runOpenLoop(lanes, recorder, { perSecond: plan.perSecond, totalMs })
  await Promise.race([running, recorder.stopped])
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  recorder.stop()
  for (const lane of lanes) lane.close()
  return recorder.result()
}

/** Makes the calls, and collects the outcomes of those that end during the measurement. */
interface Recorder {
  readonly isRunning: boolean
  readonly stopped: Promise<void>
  /** How many more calls may be started, if those in flight end after the warm-up. */
  callsLeft(): number
  /** Makes a call. Its latency counts from `startedAt`. */
  call(lane: Lane, startedAt: number): Promise<void>
  /** Sets the function that returns how many calls are due and not sent. It is called when the measurement ends. */
  countUnsent(count: () => number): void
  stop(): void
  result(): LoadMeasurement
}

function createRecorder({ warmUpMs, maxCalls }: LoadPlan): Recorder {
  const latency = createHistogram()
  const failures = new Map<string, number>()
  const inFlight = new Map<Lane, number>()
  const startsAt = now() + warmUpMs
  let endsAt: number | undefined
  let calls = 0
  let countUnsent = (): number => 0
  let atEnd = { unsent: 0, pending: 0, longestWaitMs: 0 }
  let resolveStopped!: () => void
  const stopped = new Promise<void>((resolve) => (resolveStopped = resolve))
  const stop = (): void => {
    if (endsAt !== undefined) return
    endsAt = now()
    const longestWaitMs = inFlight.size > 0 ? endsAt - Math.min(...inFlight.values()) : 0
    atEnd = { unsent: countUnsent(), pending: inFlight.size, longestWaitMs }
    resolveStopped()
  }
  const record = (startedAt: number, failure: CallFailure): void => {
    const endedAt = now()
    if (endsAt !== undefined || endedAt < startsAt) return
    if (failure !== undefined) failures.set(failure, (failures.get(failure) ?? 0) + 1)
    else latency.record(Math.max(1, Math.round((endedAt - startedAt) * NANOSECONDS)))
    if (++calls === maxCalls) stop()
  }
  return {
    stopped,
    get isRunning() {
      return endsAt === undefined
    },
    callsLeft: () => maxCalls - calls - inFlight.size,
    async call(lane, startedAt) {
      inFlight.set(lane, startedAt)
      const failure = await lane.call()
      inFlight.delete(lane)
      record(startedAt, failure)
    },
    countUnsent(count) {
      countUnsent = count
    },
    stop,
    result: () => ({ seconds: Math.max(0, (endsAt ?? now()) - startsAt) / 1000, calls, failures, latency, ...atEnd }),
  }
}

/** Calls of a server in this process may never wait for anything. Timers and signals get their turn after this time. */
const YIELD_MS = 10

/** Each lane makes one call after the other. */
async function runClosedLoop(lanes: readonly Lane[], recorder: Recorder): Promise<void> {
  let yieldAt = now() + YIELD_MS
  const run = async (lane: Lane): Promise<void> => {
    while (recorder.isRunning && recorder.callsLeft() > 0) {
      await recorder.call(lane, now())
      if (now() < yieldAt) continue
      await setImmediate()
      yieldAt = now() + YIELD_MS
    }
  }
  await Promise.all(lanes.map(run))
}

/** Time before a call is due in which the loop no longer sleeps, because timers are late by up to a millisecond. */
const SPIN_MS = 1.5

/** Makes calls at fixed times. A call that is due while no lane is free is sent later, and its latency includes the time that it waited. */
function runOpenLoop(
  lanes: readonly Lane[],
  recorder: Recorder,
  { perSecond, totalMs }: { readonly perSecond: number; readonly totalMs: number },
): Promise<void> {
  const free = [...lanes]
  const startedAt = now()
  const intervalMs = 1000 / perSecond
  let sent = 0
  const lastCall = Math.ceil(totalMs / intervalMs)
  const dueCalls = (): number => Math.min(lastCall, Math.floor((now() - startedAt) / intervalMs) + 1)
  recorder.countUnsent(() => Math.max(0, Math.min(dueCalls() - sent, recorder.callsLeft())))

  const sendDue = (): void => {
    const due = dueCalls()
    while (recorder.isRunning && sent < due && recorder.callsLeft() > 0) {
      const lane = free.pop()
      if (!lane) return
      const dueAt = startedAt + sent++ * intervalMs
      void recorder.call(lane, dueAt).then(() => {
        free.push(lane)
        sendDue()
      })
    }
  }
  const tick = (): void => {
    if (!recorder.isRunning) return
    sendDue()
    const waitMs = startedAt + sent * intervalMs - now()
    const canSend = free.length > 0 && recorder.callsLeft() > 0
    if (canSend && waitMs < SPIN_MS) void setImmediate().then(tick)
    else setTimeout(tick, canSend ? waitMs - SPIN_MS : 1)
  }
  tick()
  return recorder.stopped
}
