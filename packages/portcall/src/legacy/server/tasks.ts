/**
 * Serves the tasks of the revision that has them in its core with those of the extension. In that revision, the client decides which
 * calls become tasks, and one request, `tasks/result`, waits for the end of a task and carries its input requests. This file is loaded
 * on the first request about tasks.
 */
import { isObject, isSuccess, type JsonObject, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { invalidParams, methodNotFound } from '../../protocol/errors.ts'
import { TASK_PREFERENCE, type TaskPreference } from '../../protocol/tasks.ts'
import { renderResponse } from '../render/render.ts'
import { isFinalTask, renderLegacyTask } from '../render/task.ts'
import { createTaskClient, type TaskClient, withTasks } from './task-client.ts'
import { awaitTaskResult } from './task-result.ts'
import { type LegacyCall, UpgradedRequest } from './upgraded-request.ts'

type TaskMethod = (params: JsonObject, client: TaskClient, call: LegacyCall) => Promise<JsonObject>

const METHODS: { readonly [method: string]: TaskMethod } = {
  async 'tasks/get'({ taskId }, client) {
    return renderLegacyTask(await client('tasks/get', { taskId }))
  },
  async 'tasks/cancel'({ taskId }, client) {
    const before = await client('tasks/get', { taskId })
    if (isFinalTask(before)) throw invalidParams(`the task is already ${before.status}`)
    await client('tasks/cancel', { taskId })
    const task = await client('tasks/get', { taskId })
    if (task.status !== 'cancelled') throw invalidParams(`the task is already ${task.status}`)
    return renderLegacyTask(task)
  },
  'tasks/result': ({ taskId }, client, call) => awaitTaskResult(String(taskId), client, call),
}

/** Serves a request about tasks, or a tool call that asks to become a task. @throws RpcError */
export async function serveTaskRequest(request: Request, call: LegacyCall): Promise<Response> {
  if (request.method === 'tools/call') return await callAsTask(request, call)
  const serve = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined
  if (!serve) throw methodNotFound(request.method)
  return success(request.id, await serve(request.params ?? {}, createTaskClient(call), call))
}

/** Calls a tool as a task. A server without tasks ignores the request for a task, and returns the result of the call. */
async function callAsTask(request: Request, call: LegacyCall): Promise<Response> {
  const { task, ...params } = request.params ?? {}
  const ttl = isObject(task) ? task.ttl : undefined
  const preference: TaskPreference = typeof ttl === 'number' && ttl > 0 ? { ttlMs: ttl } : {}
  const requestMeta = { ...withTasks(call.requestMeta), [TASK_PREFERENCE]: preference }
  const upgraded = new UpgradedRequest({ ...request, params }, { ...call, requestMeta })
  const response = await upgraded.complete(await call.core(upgraded.request, upgraded))
  if (!isSuccess(response) || response.result.resultType !== 'task') return renderResponse(request.method, response, call.plan)
  return success(request.id, { task: renderLegacyTask(response.result) })
}
