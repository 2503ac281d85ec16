import { PortcallError } from '../../../../util/src/errors.ts'
import { delay } from '../../../../util/src/timers.ts'
import type { ClientExtensionContext } from '../../client/extension.ts'
import type { CallOptions } from '../../client/options.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { retryWhileUnavailable } from '../../jsonrpc/retryable.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import type { CallToolResult } from '../../protocol/types.ts'
import { type DetailedTask, isTerminalStatus } from '../types.ts'

/** One task on a server. Its id is all that you need to store to open it again. */
export interface TaskHandle {
  /** Identifies the task on its server. */
  readonly taskId: string
  /** Resolves to the current state of the task. @throws RpcError -32602 if it does not exist or has expired. */
  get(options?: CallOptions): Promise<DetailedTask>
  /**
   * Waits for the end of the task and answers its input requests, each once. Status messages are reported as progress. Aborting the signal
   * stops waiting; it does not cancel the task.
   *
   * @throws RpcError if the task failed; TaskCancelledError if it was cancelled.
   */
  result(options?: CallOptions): Promise<CallToolResult>
  /** Answers the pending input requests, without waiting for further ones. Resolves to their number. */
  answerInputRequests(options?: CallOptions): Promise<number>
  /** Requests cancellation. The task may still end with another status. */
  cancel(options?: CallOptions): Promise<void>
}

/** Thrown by `result` if the task was cancelled. */
export class TaskCancelledError extends PortcallError {
  override readonly name = 'TaskCancelledError'
  readonly code = 'TASK_CANCELLED'
  /** The task that was cancelled. */
  readonly taskId: string

  /** The message is the `statusMessage` of the task, if it has one. */
  constructor({ taskId, statusMessage }: DetailedTask) {
    super(statusMessage ?? 'The task was cancelled')
    this.taskId = taskId
  }
}

const DEFAULT_POLL_INTERVAL_MS = 1000
const MIN_POLL_INTERVAL_MS = 20
/** How long a server, or its store, may be unavailable before waiting for its task fails. */
const UNAVAILABLE_TIMEOUT_MS = 60_000

type Context = Pick<ClientExtensionContext, 'request' | 'handleInputRequest' | 'subscribe'>

export interface TaskHandleOptions {
  readonly context: Context
  /** True to subscribe to changes, in addition to polling. */
  readonly listen: boolean
  /** Aborted when the client is closed. */
  readonly closeSignal: AbortSignal
}

export function createTaskHandle(taskId: string, { context, listen, closeSignal }: TaskHandleOptions): TaskHandle {
  const get: TaskHandle['get'] = async (options) =>
    (await context.request('tasks/get', { taskId }, options)) as unknown as DetailedTask

  return {
    taskId,
    get,
    async result({ signal: callerSignal, headers, onProgress } = {}) {
      // Each call has a signal of its own, because Node warns about many listeners on one signal.
      const signal = AbortSignal.any(callerSignal ? [closeSignal, callerSignal] : [closeSignal])
      const options: CallOptions = { signal, ...(headers && { headers }) }
      const changes = createChangeMonitor(taskId, signal, listen ? context : undefined)
      const responder = createInputResponder(taskId, options, context)
      try {
        for (let progress = 1, lastMessage: string | undefined; ; ) {
          const task = await persist(() => get(options), signal)
          if (isTerminalStatus(task.status)) return outcomeOf(task)
          if (task.statusMessage !== undefined && task.statusMessage !== lastMessage)
            onProgress?.({ progress: progress++, message: (lastMessage = task.statusMessage) })
          responder.update(task)
          await Promise.race([changes.next(task.pollIntervalMs), responder.failed])
        }
      } finally {
        changes.close()
        responder.close()
      }
    },
    async answerInputRequests(options = {}) {
      const { signal = new AbortController().signal } = options
      const task = await get(options)
      const requests = task.status === 'input_required' ? Object.entries(task.inputRequests) : []
      const responses = requests.map(async ([key, { method, params }]) => {
        const response = await context.handleInputRequest(method, isObject(params) ? params : {}, signal)
        return [key, response] as const
      })
      const inputResponses = Object.fromEntries(await Promise.all(responses))
      if (requests.length > 0) await context.request('tasks/update', { taskId, inputResponses }, options)
      return requests.length
    },
    async cancel(options) {
      await context.request('tasks/cancel', { taskId }, options)
    },
  }
}

/** Repeats a request while the server or its store is unavailable: tasks survive a restart of both. */
function persist<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return retryWhileUnavailable(send, { timeoutMs: UNAVAILABLE_TIMEOUT_MS, intervalMs: DEFAULT_POLL_INTERVAL_MS, signal })
}

function outcomeOf(task: DetailedTask): CallToolResult {
  if (task.status === 'completed') return task.result as unknown as CallToolResult
  if (task.status === 'failed') throw new RpcError(task.error.code, task.error.message, task.error.data)
  throw new TaskCancelledError(task)
}

/** Answers the input requests of a task, each once, and aborts the handlers of requests that are no longer pending. */
interface InputResponder {
  /** Answers the new input requests of the task. */
  update(task: DetailedTask): void
  /** Rejects when an input request cannot be answered. */
  readonly failed: Promise<never>
  close(): void
}

function createInputResponder(taskId: string, options: CallOptions, { request, handleInputRequest }: Context): InputResponder {
  const controllers = new Map<string, AbortController>()
  let fail!: (error: unknown) => void
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})

  const respond = async (key: string, { method, params }: InputRequest): Promise<void> => {
    const controller = new AbortController()
    controllers.set(key, controller)
    const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal
    try {
      const response = await handleInputRequest(method, isObject(params) ? params : {}, signal)
      const inputResponses: JsonObject = { [key]: response }
      await persist(() => request('tasks/update', { taskId, inputResponses }, options), options.signal)
    } catch (error) {
      if (!controller.signal.aborted) fail(error)
    }
  }
  const abortOthers = (pending: { readonly [key: string]: unknown }): void => {
    for (const [key, controller] of controllers)
      if (!Object.hasOwn(pending, key)) controller.abort(new Error('The input request is no longer pending'))
  }
  return {
    failed,
    update(task) {
      const pending = task.status === 'input_required' ? task.inputRequests : {}
      abortOthers(pending)
      for (const [key, inputRequest] of Object.entries(pending)) if (!controllers.has(key)) void respond(key, inputRequest)
    },
    close: () => abortOthers({}),
  }
}

interface ChangeMonitor {
  /** Resolves after the poll interval, or when the server notifies of a change. @throws the abort reason of the signal. */
  next(pollIntervalMs?: number): Promise<void>
  close(): void
}

function createChangeMonitor(
  taskId: string,
  signal: AbortSignal,
  context: Pick<ClientExtensionContext, 'subscribe'> | undefined,
): ChangeMonitor {
  let hasChanged = false
  let wake = (): void => {}
  const subscription = context?.subscribe({ taskIds: [taskId] }, () => {
    hasChanged = true
    wake()
  })
  return {
    async next(pollIntervalMs = DEFAULT_POLL_INTERVAL_MS) {
      const changed = new AbortController()
      wake = () => changed.abort()
      if (!hasChanged)
        await delay(Math.max(MIN_POLL_INTERVAL_MS, pollIntervalMs), signal, changed.signal).catch(() => signal.throwIfAborted())
      hasChanged = false
    },
    close: () => subscription?.close(),
  }
}
