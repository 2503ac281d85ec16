import type { CallOptions, CallToolResult, ClientHost } from '../client.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { pause } from '../jsonrpc/waiting.ts'
import { type DetailedTask, isFinal } from './types.ts'

/** One task of a server. Its id is all that has to be kept to find it again. */
export interface TaskHandle {
  readonly taskId: string
  /** How it stands. @throws RpcError -32602 when it does not exist, or not any more. */
  get(options?: CallOptions): Promise<DetailedTask>
  /**
   * Waits for its end and answers what it asks on the way, each question once; status messages come as progress. Aborting the signal ends the
   * waiting, not the task.
   *
   * @throws RpcError when the task failed; TaskCancelled.
   */
  result(options?: CallOptions): Promise<CallToolResult>
  /** Says that it is not wanted any more. It may still end otherwise. */
  cancel(options?: CallOptions): Promise<void>
}

/** Thrown when somebody waited for a task that was cancelled. */
export class TaskCancelled extends Error {
  override readonly name = 'TaskCancelled'
  readonly code = 'TASK_CANCELLED'
  readonly taskId: string

  constructor({ taskId, statusMessage }: DetailedTask) {
    super(statusMessage ?? 'The task was cancelled')
    this.taskId = taskId
  }
}

const POLL_MS = 1000
const SHORTEST_POLL_MS = 20

type Host = Pick<ClientHost, 'request' | 'answer' | 'listen'>

export function createHandle(taskId: string, host: Host, listens: boolean): TaskHandle {
  const get: TaskHandle['get'] = async (options) =>
    (await host.request('tasks/get', { taskId }, options)) as unknown as DetailedTask
  const answers = createAnswers(taskId, host)

  return {
    taskId,
    get,
    async result(options = {}) {
      const { signal, onProgress } = options
      const changes = createChanges(taskId, listens ? host : undefined)
      try {
        for (let progress = 1, said: string | undefined; ; ) {
          const task = await get({ ...(signal && { signal }) })
          if (isFinal(task.status)) return outcomeOf(task)
          if (task.statusMessage !== undefined && task.statusMessage !== said)
            onProgress?.({ progress: progress++, message: (said = task.statusMessage) })
          await answers.give(task, signal)
          await changes.next(task.pollIntervalMs, signal)
        }
      } finally {
        changes.close()
      }
    },
    async cancel(options) {
      await host.request('tasks/cancel', { taskId }, options)
    },
  }
}

function outcomeOf(task: DetailedTask): CallToolResult {
  if (task.status === 'completed') return task.result as unknown as CallToolResult
  if (task.status === 'failed') throw new RpcError(task.error.code, task.error.message, task.error.data)
  throw new TaskCancelled(task)
}

/** Answers the questions of a task, each once, however often it is seen. */
function createAnswers(
  taskId: string,
  { request, answer }: Host,
): { give(task: DetailedTask, signal?: AbortSignal): Promise<void> } {
  const given = new Set<string>()
  return {
    async give(task, signal = new AbortController().signal) {
      if (task.status !== 'input_required') return
      const open = Object.entries(task.inputRequests).filter(([key]) => !given.has(key))
      await Promise.all(
        open.map(async ([key, { method, params }]) => {
          const inputResponses: JsonObject = { [key]: await answer(method, isObject(params) ? params : {}, signal) }
          await request('tasks/update', { taskId, inputResponses }, { signal })
          given.add(key)
        }),
      )
    },
  }
}

/** Waits until it is time to look again: as long as the server says, or until it tells of a change. */
function createChanges(
  taskId: string,
  host: Pick<ClientHost, 'listen'> | undefined,
): { next(ms?: number, signal?: AbortSignal): Promise<void>; close(): void } {
  let changed = false
  let wake = (): void => {}
  const subscription = host?.listen({ taskIds: [taskId] }, () => {
    changed = true
    wake()
  })
  return {
    async next(ms = POLL_MS, signal) {
      const awake = new AbortController()
      wake = () => awake.abort()
      if (!changed) await pause(Math.max(SHORTEST_POLL_MS, ms), signal, awake.signal).catch(() => signal?.throwIfAborted())
      changed = false
    },
    close: () => subscription?.close(),
  }
}
