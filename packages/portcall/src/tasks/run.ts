import type { CallState, Keeper } from '../index.ts'
import { ErrorCode } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject, type Notification, type Request, type Response } from '../jsonrpc/message.ts'
import { pause, untilAborted } from '../jsonrpc/waiting.ts'
import { LeaseLost } from '../stores/lease.ts'
import { type Ledger, RecordTooLarge, type TaskRef } from './ledger.ts'
import { answersOf, keepStep, type Outcome, say, settle, type TaskRecord } from './record.ts'
import { createTeller } from './teller.ts'
import { isFinal } from './types.ts'

/** Serves a request with the state of its call kept where the keeper keeps it. */
export type Perform = (request: Request, context: ExchangeContext, keeper: Keeper) => Promise<Response>

export interface RunOptions {
  readonly ledger: Ledger
  readonly perform: Perform
  readonly messageMs: number
  readonly now: () => number
}

/** A task that this process has begun to work on. */
export interface Begun {
  readonly ref: TaskRef
  readonly record: TaskRecord
  /** Aborted when the work is not wanted any more, or is somebody else's. */
  readonly signal: AbortSignal
}

const RETRY_MS = 200

/** Runs the handler of a task once, from the top, and writes down what came of it. @throws the reason of the signal */
export async function run(begun: Begun, options: RunOptions): Promise<void> {
  const { record, signal } = begun
  const write = createWriter(begun, options)
  const teller = createTeller(options.messageMs, (message) => write((now) => say(now, message, options.now())))
  const keeper = createRecordKeeper(record, write)
  const context: ExchangeContext = {
    signal,
    notify: (notification) => teller.say(messageOf(notification)),
    auth: record.call.auth,
  }
  try {
    const response = await untilAborted(options.perform(requestOf(record), context, keeper), signal)
    signal.throwIfAborted()
    await conclude(outcomeOf(response, keeper), (outcome) => write((now) => settle(now, outcome, options.now())))
  } finally {
    teller.close()
  }
}

/** The request as it came, with what was answered since; progress is asked for, since it becomes the status message. */
function requestOf(record: TaskRecord): Request {
  const { method, params } = record.call
  const _meta = { ...(params._meta as JsonObject), progressToken: record.id }
  const kept = { inputResponses: answersOf(record), requestState: record.id }
  return { jsonrpc: '2.0', id: record.id, method, params: { ...params, ...kept, _meta } }
}

function outcomeOf(response: Response, { closed }: RecordKeeper): Outcome {
  if (!isSuccess(response)) return { error: response.error }
  const { result } = response
  if (result.resultType !== 'input_required') return { result }
  return { questions: (result.inputRequests ?? {}) as never, state: closed() }
}

/** Writes an outcome; one that is too large to be kept is a failure. */
async function conclude(outcome: Outcome, write: (outcome: Outcome) => Promise<unknown>): Promise<void> {
  try {
    await write(outcome)
  } catch (error) {
    if (!(error instanceof RecordTooLarge)) throw error
    await write({ error: { code: ErrorCode.internalError, message: error.message } })
  }
}

function messageOf({ method, params }: Notification): string | undefined {
  if (method !== 'notifications/progress' || !params) return undefined
  const { progress, total, message } = params
  if (typeof message === 'string') return message
  return total === undefined ? String(progress) : `${progress} of ${total}`
}

type Write = (change: (record: TaskRecord) => TaskRecord) => Promise<TaskRecord>

/**
 * Writes for one run and no other: a worker whose task has been begun anew, was cancelled or is gone writes nothing. A store that is away is
 * asked again until the task is lost.
 */
function createWriter({ ref, record: { run: own }, signal }: Begun, { ledger }: RunOptions): Write {
  return async (change) => {
    for (;;) {
      signal.throwIfAborted()
      try {
        const after = await ledger.change(ref, (record) => (record.run === own ? change(record) : record))
        if (after?.run !== own) throw new LeaseLost()
        return after
      } catch (error) {
        if (error instanceof LeaseLost || error instanceof RecordTooLarge) throw error
        await pause(RETRY_MS, signal)
      }
    }
  }
}

interface RecordKeeper extends Keeper {
  /** The state that the handler left behind. */
  closed(): CallState
}

/** Keeps the state of a call in the record of its task. */
function createRecordKeeper({ state }: TaskRecord, write: Write): RecordKeeper {
  let last = state
  return {
    open: async () => state,
    async close(next) {
      last = next
      return ''
    },
    async step(name, result) {
      const { status } = await write((record) => keepStep(record, name, result))
      if (isFinal(status)) throw new LeaseLost()
    },
    closed: () => last,
  }
}
