import { isObject, type JsonObject, type Notification, notification } from '../jsonrpc/message.ts'
import { pause } from '../jsonrpc/waiting.ts'
import { RELATED_TASK } from '../protocol/tasks.ts'
import type { InputRequest } from '../protocol/types.ts'
import type { AskCore } from './ask-core.ts'
import { askAll } from './asks.ts'
import type { Forwarding } from './forward.ts'
import { renderResult } from './render.ts'
import { errorOf, isFinal, renderTask } from './render-task.ts'

/** How long it waits to be told of a change before it looks for itself. */
const LOOK_MS = 5000

/**
 * Waits for the end of a task and gives what its call would have given. Meanwhile the task's questions are put to the client, and its changes
 * are told, on the stream of the request that waits.
 */
export async function awaitTask(taskId: string, askCore: AskCore, forwarding: Forwarding): Promise<JsonObject> {
  const changes = createChanges(taskId, askCore, forwarding)
  const asking = createAsking(taskId, askCore, forwarding)
  try {
    for (;;) {
      const task = await askCore('tasks/get', { taskId })
      if (isFinal(task)) return finalResult(taskId, task, forwarding)
      asking.ask(task)
      await Promise.race([changes.next(), asking.failed])
    }
  } finally {
    changes.close()
  }
}

function finalResult(taskId: string, task: JsonObject, { revision }: Forwarding): JsonObject {
  if (task.status !== 'completed' || !isObject(task.result)) throw errorOf(task)
  const result = renderResult('tools/call', task.result, revision)
  return { ...result, _meta: { ...(isObject(result._meta) && result._meta), ...related(taskId) } }
}

function related(taskId: string): JsonObject {
  return { [RELATED_TASK]: { taskId } }
}

/** Hears of changes of one task. */
function createChanges(taskId: string, askCore: AskCore, { context }: Forwarding): { next(): Promise<void>; close(): void } {
  const closed = new AbortController()
  let changed = false
  let wake = (): void => {}
  const hear = (told: Notification): void => {
    if (told.method !== 'notifications/tasks') return
    changed = true
    wake()
    void context.notify(notification('notifications/tasks/status', renderTask(told.params ?? {})))
  }
  const signal = AbortSignal.any([closed.signal, context.signal])
  askCore('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { signal, notify: hear }).catch(() => {})
  return {
    async next() {
      const awake = new AbortController()
      wake = () => awake.abort()
      if (!changed) await pause(LOOK_MS, context.signal, awake.signal).catch(() => context.signal.throwIfAborted())
      changed = false
    },
    close: () => closed.abort(),
  }
}

/** Puts each question of a task to the client once. */
function createAsking(
  taskId: string,
  askCore: AskCore,
  { context, revision }: Forwarding,
): { ask(task: JsonObject): void; failed: Promise<never> } {
  const asked = new Set<string>()
  let fail!: (error: unknown) => void
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})

  const askOne = async (key: string, { method, params }: InputRequest): Promise<void> => {
    const question = {
      method,
      params: { ...params, _meta: { ...(isObject(params?._meta) && params._meta), ...related(taskId) } },
    }
    const inputResponses = await askAll({ [key]: question }, context, revision)
    await askCore('tasks/update', { taskId, inputResponses })
  }
  return {
    failed,
    ask({ inputRequests }) {
      for (const [key, question] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
        if (asked.has(key)) continue
        asked.add(key)
        askOne(key, question as InputRequest).catch(fail)
      }
    },
  }
}
