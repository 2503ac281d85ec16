import type { Middleware } from 'portcall/client'
import { ErrorCode, isSuccess, type JsonObject, type Request, type Response } from 'portcall/jsonrpc'
import type { InspectorTask } from '../protocol/servers.ts'

/** Creates the middleware that reports the tasks that calls become, each state of a task that is fetched, and that a task is gone. */
export function observeTasks(onTask: (task: InspectorTask) => void): Middleware {
  return async (request, context, next) => {
    const response = await next(request, context)
    const task = isSuccess(response) ? taskOf(request, response.result) : goneTask(request, response)
    if (task) onTask(task)
    return response
  }
}

function taskOf({ method, params = {} }: Request, { resultType: _, ...state }: JsonObject): InspectorTask | undefined {
  const { taskId } = state
  if (typeof taskId !== 'string') return undefined
  if (method === 'tasks/get') return { taskId, state, isGone: false }
  return method === 'tools/call' ? { taskId, state, toolName: String(params.name), startedAt: Date.now() } : undefined
}

/** Servers respond with -32602 to the id of a task that they do not have. */
function goneTask({ method, params = {} }: Request, response: Response): InspectorTask | undefined {
  const { taskId } = params
  if (method !== 'tasks/get' || typeof taskId !== 'string' || isSuccess(response)) return undefined
  return response.error.code === ErrorCode.invalidParams ? { taskId, isGone: true } : undefined
}
