import { randomId } from '../../../../util/src/random.ts'
import { delay, raceAbort } from '../../../../util/src/timers.ts'
import { ErrorCode, RpcError, resultOf } from '../../jsonrpc/errors.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../../jsonrpc/message.ts'
import { retryAfterMsOf } from '../../jsonrpc/retryable.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import { RELATED_TASK, relatedTaskId } from '../../protocol/tasks.ts'
import { omitFields } from '../render/downgrade-plan.ts'
import type { LegacyConnection, OutgoingContext } from './connection.ts'
import { readResponse } from './read-response.ts'

/** The `tasks/result` requests, which return the outcome of a task and carry its input requests. At most one is open for each task. */
export interface TaskResults {
  /** Waits for the input requests of a task, and returns the open ones. Their keys are never reused. */
  inputRequests(taskId: string, context: OutgoingContext): Promise<{ [key: string]: InputRequest }>
  /** Waits for the end of a task, and returns its status with its result or error. */
  outcome(taskId: string, context: OutgoingContext): Promise<JsonObject>
  /** Opens `tasks/result` for a task. */
  open(taskId: string, context: OutgoingContext): void
  /** Accepts an input request that belongs to a task. Returns `undefined` if `tasks/result` is not open for its task. */
  accept(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined
  /** Responds to input requests; unknown keys are ignored. Resolves when the responses have been sent. */
  respond(taskId: unknown, responses: JsonObject): Promise<void>
}

/** Time that an input request may take to arrive after the task has reported `input_required`. */
const INPUT_REQUEST_TIMEOUT_MS = 1000
const TASK_ENDED = new RpcError(ErrorCode.internalError, 'The task has ended')

interface PendingInput {
  readonly request: InputRequest
  respond(response: JsonObject): void
  reject(reason: unknown): void
}

/** An open `tasks/result` request. */
interface OpenResult {
  readonly response: Promise<Response>
  readonly pending: Map<string, PendingInput>
  /** Aborted when an input request arrives, or when the task ends. */
  changed: AbortController
}

/** @param onChange called when an input request of a task arrives, and when a task ends. */
export function createTaskResults(connection: LegacyConnection, onChange: (taskId: string) => void): TaskResults {
  const results = new Map<string, OpenResult>()

  const open = (taskId: string, { outgoing }: OutgoingContext): OpenResult => {
    const existing = results.get(taskId)
    if (existing) return existing
    const requested = connection.request('tasks/result', { taskId }, outgoing && { outgoing })
    const response = requested.then((raw) => readResponse({ id: 0, method: 'tools/call', params: undefined }, raw))
    const result: OpenResult = { response, pending: new Map(), changed: new AbortController() }
    const end = (): void => {
      results.delete(taskId)
      for (const input of result.pending.values()) input.reject(TASK_ENDED)
      result.changed.abort()
      onChange(taskId)
    }
    response.then(end, end)
    results.set(taskId, result)
    return result
  }

  return {
    open,
    async inputRequests(taskId, context) {
      const { pending, changed } = open(taskId, context)
      if (pending.size === 0) await delay(INPUT_REQUEST_TIMEOUT_MS, changed.signal).catch(() => {})
      return Object.fromEntries([...pending].map(([key, { request }]) => [key, request]))
    },
    outcome: async (taskId, context) => outcomeOf(await open(taskId, context).response),
    accept(method, params, signal) {
      const taskId = relatedTaskId(params) ?? ''
      const result = results.get(taskId)
      if (!result) return undefined
      const response = addPending(result.pending, { method, params: withoutTask(params) } as InputRequest, signal)
      result.changed.abort()
      result.changed = new AbortController()
      onChange(taskId)
      return response
    },
    async respond(taskId, responses) {
      const result = results.get(taskId as string)
      for (const [key, response] of Object.entries(responses)) if (isObject(response)) result?.pending.get(key)?.respond(response)
      if (result) await delay(0)
    },
  }
}

/** Adds an input request until it is responded to or cancelled. */
function addPending(pending: Map<string, PendingInput>, request: InputRequest, signal: AbortSignal): Promise<JsonObject> {
  const key = randomId(9)
  const response = new Promise<JsonObject>((respond, reject) => pending.set(key, { request, respond, reject }))
  return raceAbort(response, signal).finally(() => pending.delete(key))
}

/**
 * A result with `isError` completes the task; only an error response makes it a failed one. @throws RpcError if the server cannot say at the moment.
 */
function outcomeOf(response: Response): JsonObject {
  if (!isSuccess(response)) {
    if (retryAfterMsOf(response.error) !== undefined) return resultOf(response, 'tasks/result')
    return { status: 'failed', error: response.error }
  }
  return { status: 'completed', result: withoutTask(response.result) }
}

function withoutTask(object: JsonObject): JsonObject {
  if (!isObject(object._meta) || !(RELATED_TASK in object._meta)) return object
  const { _meta, ...rest } = object
  const meta = omitFields(_meta as JsonObject, [RELATED_TASK])
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest
}
