import type { CallOptions, CallToolResult, ClientHost } from '../client.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { pause } from '../jsonrpc/waiting.ts'
import type { InputRequest } from '../protocol/types.ts'
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
  /** Answers what it asks at this time, and does not wait for more. Resolves to how many questions that were. */
  answer(options?: CallOptions): Promise<number>
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
/** How long a server may be out of reach before waiting for its task is given up. */
const AWAY_MS = 60_000

type Host = Pick<ClientHost, 'request' | 'answer' | 'listen'>

export interface HandleOptions {
  readonly host: Host
  /** Whether it hears of changes by subscription too. */
  readonly listens: boolean
  /** Aborted when the client is closed: nobody waits any more. */
  readonly closed: AbortSignal
}

export function createHandle(taskId: string, { host, listens, closed }: HandleOptions): TaskHandle {
  const get: TaskHandle['get'] = async (options) =>
    (await host.request('tasks/get', { taskId }, options)) as unknown as DetailedTask

  return {
    taskId,
    get,
    async result({ signal, headers, onProgress } = {}) {
      // One of its own for each wait: Node warns of signals that many listen to.
      const until = AbortSignal.any(signal ? [closed, signal] : [closed])
      const options: CallOptions = { signal: until, ...(headers && { headers }) }
      const changes = createChanges(taskId, until, listens ? host : undefined)
      const answering = createAnswering(taskId, options, host)
      try {
        for (let progress = 1, said: string | undefined; ; ) {
          const task = await patiently(() => get(options), until)
          if (isFinal(task.status)) return outcomeOf(task)
          if (task.statusMessage !== undefined && task.statusMessage !== said)
            onProgress?.({ progress: progress++, message: (said = task.statusMessage) })
          answering.see(task)
          await Promise.race([changes.next(task.pollIntervalMs), answering.failed])
        }
      } finally {
        changes.close()
        answering.close()
      }
    },
    async answer(options = {}) {
      const { signal = new AbortController().signal } = options
      const task = await get(options)
      const questions = task.status === 'input_required' ? Object.entries(task.inputRequests) : []
      const answers = questions.map(
        async ([key, { method, params }]) => [key, await host.answer(method, isObject(params) ? params : {}, signal)] as const,
      )
      const inputResponses = Object.fromEntries(await Promise.all(answers))
      if (questions.length > 0) await host.request('tasks/update', { taskId, inputResponses }, options)
      return questions.length
    },
    async cancel(options) {
      await host.request('tasks/cancel', { taskId }, options)
    },
  }
}

/** Asks again while the server cannot be reached, for a while: its tasks outlive it. */
async function patiently<T>(ask: () => Promise<T>, until: AbortSignal | undefined): Promise<T> {
  const began = performance.now()
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isObject(error) || error.retryable !== true || performance.now() - began > AWAY_MS) throw error
      await pause(POLL_MS, until)
    }
  }
}

function outcomeOf(task: DetailedTask): CallToolResult {
  if (task.status === 'completed') return task.result as unknown as CallToolResult
  if (task.status === 'failed') throw new RpcError(task.error.code, task.error.message, task.error.data)
  throw new TaskCancelled(task)
}

/** Answers the questions of a task, each once, however often it is seen. What is not asked any more is not waited for either. */
interface Answering {
  see(task: DetailedTask): void
  /** Rejects when a question cannot be answered. */
  readonly failed: Promise<never>
  close(): void
}

function createAnswering(taskId: string, options: CallOptions, { request, answer }: Host): Answering {
  const asked = new Map<string, AbortController>()
  let fail!: (error: unknown) => void
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})

  const answerOne = async (key: string, { method, params }: InputRequest): Promise<void> => {
    const unasked = new AbortController()
    asked.set(key, unasked)
    const signal = options.signal ? AbortSignal.any([options.signal, unasked.signal]) : unasked.signal
    try {
      const inputResponses: JsonObject = { [key]: await answer(method, isObject(params) ? params : {}, signal) }
      await patiently(() => request('tasks/update', { taskId, inputResponses }, options), options.signal)
    } catch (error) {
      if (!unasked.signal.aborted) fail(error)
    }
  }
  const withdraw = (open: { readonly [key: string]: unknown }): void => {
    for (const [key, unasked] of asked) if (!Object.hasOwn(open, key)) unasked.abort(new Error('The task does not ask any more'))
  }
  return {
    failed,
    see(task) {
      const open = task.status === 'input_required' ? task.inputRequests : {}
      withdraw(open)
      for (const [key, question] of Object.entries(open)) if (!asked.has(key)) void answerOne(key, question)
    },
    close: () => withdraw({}),
  }
}

/** Waits until it is time to look again: as long as the server says, or until it tells of a change. */
interface Changes {
  /** @throws the reason of the signal */
  next(ms?: number): Promise<void>
  close(): void
}

function createChanges(taskId: string, until: AbortSignal, host: Pick<ClientHost, 'listen'> | undefined): Changes {
  let changed = false
  let wake = (): void => {}
  const subscription = host?.listen({ taskIds: [taskId] }, () => {
    changed = true
    wake()
  })
  return {
    async next(ms = POLL_MS) {
      const awake = new AbortController()
      wake = () => awake.abort()
      if (!changed) await pause(Math.max(SHORTEST_POLL_MS, ms), until, awake.signal).catch(() => until.throwIfAborted())
      changed = false
    },
    close: () => subscription?.close(),
  }
}
