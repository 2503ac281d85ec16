import type { Middleware } from '../../entrypoints/client.ts'
import { isSuccess, type JsonObject, type Request } from '../../jsonrpc/message.ts'
import type { InspectorTask } from '../protocol/servers.ts'

/** Creates the middleware that reports the tasks that calls become, and each state of a task that is fetched. */
export function observeTasks(onTask: (task: InspectorTask) => void): Middleware {
  return async (request, context, next) => {
    const response = await next(request, context)
    const task = isSuccess(response) ? taskOf(request, response.result) : undefined
    if (task) onTask(task)
    return response
  }
}

function taskOf({ method, params = {} }: Request, { resultType: _, ...state }: JsonObject): InspectorTask | undefined {
  const { taskId } = state
  if (typeof taskId !== 'string') return undefined
  if (method === 'tasks/get') return { taskId, state }
  return method === 'tools/call' ? { taskId, state, toolName: String(params.name), startedAt: Date.now() } : undefined
}
