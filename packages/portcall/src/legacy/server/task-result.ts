import { delay } from '../../../../util/src/timers.ts'
import { isObject, type JsonObject, type Notification, notification } from '../../jsonrpc/message.ts'
import { retryWhileUnavailable } from '../../jsonrpc/retryable.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import { RELATED_TASK } from '../../protocol/tasks.ts'
import { renderResult } from '../render/render.ts'
import { isFinalTask, renderLegacyTask, taskError } from '../render/task.ts'
import { sendInputRequests } from './input-requests.ts'
import type { TaskClient } from './task-client.ts'
import type { LegacyCall } from './upgraded-request.ts'

/** Time without a change notification after which the task is read again. */
const POLL_INTERVAL_MS = 5000
/** How long the store may be unavailable before waiting for a task fails. */
const UNAVAILABLE_TIMEOUT_MS = 60_000
const RETRY_INTERVAL_MS = 1000

/**
 * Waits until a task has ended, and returns the result of its call. Meanwhile, sends the task's input requests and status notifications
 * to the client, on the stream of the request that waits.
 *
 * @throws RpcError when the task failed or was cancelled.
 */
export async function awaitTaskResult(taskId: string, client: TaskClient, call: LegacyCall): Promise<JsonObject> {
  const changes = watchTask(taskId, client, call)
  const forwarder = createInputForwarder(taskId, client, call)
  try {
    for (;;) {
      const task = await persist(() => client('tasks/get', { taskId }), call)
      if (isFinalTask(task)) return finalResult(taskId, task, call)
      forwarder.forward(task)
      await Promise.race([changes.next(), forwarder.failed])
    }
  } finally {
    changes.close()
  }
}

/** Repeats a request while the store is unavailable: the client that waits cannot tell an error of this from one of the task. */
function persist<T>(send: () => Promise<T>, { context }: Pick<LegacyCall, 'context'>): Promise<T> {
  return retryWhileUnavailable(send, { timeoutMs: UNAVAILABLE_TIMEOUT_MS, intervalMs: RETRY_INTERVAL_MS, signal: context.signal })
}

function finalResult(taskId: string, task: JsonObject, { plan }: LegacyCall): JsonObject {
  if (task.status !== 'completed' || !isObject(task.result)) throw taskError(task)
  const result = renderResult('tools/call', task.result, plan)
  return { ...result, _meta: { ...(isObject(result._meta) && result._meta), ...relatedTaskMeta(taskId) } }
}

function relatedTaskMeta(taskId: string): JsonObject {
  return { [RELATED_TASK]: { taskId } }
}

interface TaskChanges {
  /** Resolves at the next change, or after the poll interval. */
  next(): Promise<void>
  close(): void
}

/** Subscribes to a task, and passes its status notifications on to the client. */
function watchTask(taskId: string, client: TaskClient, { context }: LegacyCall): TaskChanges {
  const closed = new AbortController()
  let changed = false
  let wake = (): void => {}
  const notify = ({ method, params = {} }: Notification): void => {
    if (method !== 'notifications/tasks') return
    changed = true
    wake()
    void context.notify(notification('notifications/tasks/status', renderLegacyTask(params)))
  }
  const signal = AbortSignal.any([closed.signal, context.signal])
  client('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { signal, notify }).catch(() => {})
  return {
    async next() {
      const woken = new AbortController()
      wake = () => woken.abort()
      if (!changed) await delay(POLL_INTERVAL_MS, context.signal, woken.signal).catch(() => context.signal.throwIfAborted())
      changed = false
    },
    close: () => closed.abort(),
  }
}

interface InputForwarder {
  /** Sends the input requests of a task that were not sent before. */
  forward(task: JsonObject): void
  /** Rejects when an input request fails. */
  readonly failed: Promise<never>
}

function createInputForwarder(taskId: string, client: TaskClient, { context, plan }: LegacyCall): InputForwarder {
  const sent = new Set<string>()
  let fail!: (error: unknown) => void
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})

  const send = async (key: string, { method, params }: InputRequest): Promise<void> => {
    const _meta = { ...(isObject(params?._meta) && params._meta), ...relatedTaskMeta(taskId) }
    const input = { method, params: { ...params, _meta } }
    const inputResponses = await sendInputRequests({ [key]: input }, context, plan)
    await persist(() => client('tasks/update', { taskId, inputResponses }), { context })
  }
  return {
    failed,
    forward({ inputRequests }) {
      for (const [key, input] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
        if (sent.has(key)) continue
        sent.add(key)
        send(key, input as InputRequest).catch(fail)
      }
    },
  }
}
