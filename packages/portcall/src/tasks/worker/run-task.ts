import { toJsonForm } from '../../../../util/src/json-value.ts'
import { delay, MAX_TIMER_MS, raceAbort, unref } from '../../../../util/src/timers.ts'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject, type Notification, type Request, type Response } from '../../jsonrpc/message.ts'
import type { RequestState, RequestStateStore } from '../../server/input-requests/request-state.ts'
import { StoreFullError, StoreUnavailableError } from '../../stores/errors.ts'
import { LeaseLostError } from '../../stores/lease.ts'
import { endRun, inputResponsesOf, type RunOutcome, recordStep, setStatusMessage, type TaskRecord } from '../store/record.ts'
import { TaskRecordTooLargeError, type TaskRef, type TaskStore } from '../store/task-store.ts'
import { isTerminalStatus } from '../types.ts'

/** Answers a request whose request state is stored in `stateStore`. */
export type Dispatch = (request: Request, context: ExchangeContext, stateStore: RequestStateStore) => Promise<Response>

export interface RunTaskOptions {
  readonly taskStore: TaskStore
  readonly dispatch: Dispatch
  readonly statusMessageIntervalMs: number
  readonly onError: (error: unknown) => void
  readonly now: () => number
}

/** A run of a task in this process. */
export interface RunningTask {
  readonly ref: TaskRef
  readonly record: TaskRecord
  /** Aborted when the task is no longer to be run here. */
  readonly signal: AbortSignal
  /** Resolves when this process certainly holds the lease of the task. */
  readonly whenHeld: () => Promise<void>
  /** Creates the error of a run that was taken over, which names the cause. */
  readonly toLoss: () => LeaseLostError
}

const RETRY_DELAY_MS = 200

/** Runs the handler of a task once, from the start, and stores the outcome. @throws the abort reason of the signal. */
export async function runTask(task: RunningTask, options: RunTaskOptions): Promise<void> {
  const { record, signal } = task
  const { now, statusMessageIntervalMs } = options
  const write = createRecordWriter(task, options)
  const throttle = createStatusThrottle(statusMessageIntervalMs, (message) =>
    write((latest) => setStatusMessage(latest, message, now())),
  )
  const stateStore = createRecordStateStore(task, write)
  const context: ExchangeContext = {
    signal,
    notify: (notification) => throttle.update(progressMessageOf(notification)),
    auth: record.call.auth,
  }
  try {
    const response = await raceAbort(options.dispatch(toRequest(record), context, stateStore), signal)
    signal.throwIfAborted()
    const storable = toStorable(toOutcome(response, stateStore), options.onError)
    await writeOutcome(storable, (outcome) => write((latest) => endRun(latest, outcome, now())))
  } finally {
    throttle.close()
  }
}

/** Returns the original request with the input responses so far. It requests progress, which becomes the status message. */
function toRequest(record: TaskRecord): Request {
  const { method, params } = record.call
  const _meta = { ...(params._meta as JsonObject), progressToken: record.id }
  const inputResponses = inputResponsesOf(record)
  return { jsonrpc: '2.0', id: record.id, method, params: { ...params, inputResponses, requestState: record.id, _meta } }
}

function toOutcome(response: Response, { latestState }: RecordStateStore): RunOutcome {
  if (!isSuccess(response)) return { error: response.error }
  const { result } = response
  if (result.resultType !== 'input_required') return { result }
  return { questions: (result.inputRequests ?? {}) as never, state: latestState() }
}

/** Returns an outcome, or the failure of a task whose outcome is not JSON. */
function toStorable(outcome: RunOutcome, onError: (error: unknown) => void): RunOutcome {
  try {
    toJsonForm(outcome, 'The result of the task')
    return outcome
  } catch (error) {
    onError(error)
    return { error: { code: ErrorCode.internalError, message: (error as TypeError).message } }
  }
}

/** Stores an outcome. If it is too large, the task fails. */
async function writeOutcome(outcome: RunOutcome, write: (outcome: RunOutcome) => Promise<unknown>): Promise<void> {
  try {
    await write(outcome)
  } catch (error) {
    if (!(error instanceof TaskRecordTooLargeError)) throw error
    await write({ error: { code: ErrorCode.internalError, message: error.message } })
  }
}

function progressMessageOf({ method, params }: Notification): string | undefined {
  if (method !== 'notifications/progress' || !params) return undefined
  const { progress, total, message } = params
  if (typeof message === 'string') return message
  return total === undefined ? String(progress) : `${progress} of ${total}`
}

type RecordWriter = (change: (record: TaskRecord) => TaskRecord) => Promise<TaskRecord>

/**
 * Creates a writer for one run of a task. It rejects with `LeaseLostError` once the task was started again, cancelled or deleted. While the
 * store is unavailable or full, it retries until the signal is aborted.
 */
function createRecordWriter(
  { ref, record: { run: ownRun }, signal, toLoss }: RunningTask,
  { taskStore }: RunTaskOptions,
): RecordWriter {
  return async (change) => {
    for (;;) {
      signal.throwIfAborted()
      try {
        const after = await taskStore.change(ref, (record) => (record.run === ownRun ? change(record) : record))
        if (after?.run !== ownRun) throw after ? toLoss() : new LeaseLostError('the task has expired')
        return after
      } catch (error) {
        if (!(error instanceof StoreUnavailableError || error instanceof StoreFullError)) throw error
        await delay(RETRY_DELAY_MS, signal)
      }
    }
  }
}

/** Limits the rate of updates of the status message. */
interface StatusThrottle {
  update(message: string | undefined): void
  close(): void
}

/** Writes the latest message immediately, or when the interval since the last write has passed. Failed writes are ignored. */
function createStatusThrottle(intervalMs: number, write: (message: string) => Promise<unknown>): StatusThrottle {
  let pending: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  let isClosed = false

  const flush = async (): Promise<void> => {
    isBusy = pending !== undefined
    if (pending === undefined || isClosed) return
    const message = pending
    pending = undefined
    await write(message).catch(() => {})
    if (!isClosed) timer = unref(setTimeout(flush, Math.min(intervalMs, MAX_TIMER_MS)))
  }

  return {
    update(message) {
      if (message === undefined || isClosed) return
      pending = message
      if (!isBusy) void flush()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

interface RecordStateStore extends RequestStateStore {
  /** Returns the state that was saved last. */
  latestState(): RequestState
}

/** Stores the request state of a task in its record. */
function createRecordStateStore({ record: { state }, signal, whenHeld }: RunningTask, write: RecordWriter): RecordStateStore {
  let latest = state
  return {
    load: async () => state,
    async beforeStep() {
      signal.throwIfAborted()
      await raceAbort(whenHeld(), signal)
    },
    async save(next) {
      latest = next
      return ''
    },
    async saveStep(name, result) {
      const { status } = await write((record) => recordStep(record, name, result))
      if (isTerminalStatus(status)) throw new LeaseLostError('the task has ended')
    },
    latestState: () => latest,
  }
}
