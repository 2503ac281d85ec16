/**
 * Tasks as the revision has them that has them in its core, out of those of the extension: there a client asks for a task, and one request,
 * `tasks/result`, waits for its end and carries its questions. This file is loaded when a client speaks of tasks.
 */
import { isObject, isSuccess, type JsonObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import { invalidParams, methodNotFound } from '../protocol/errors.ts'
import { TASK_WISH, type TaskWish } from '../protocol/tasks.ts'
import { type AskCore, createAskCore } from './ask-core.ts'
import { Forwarded, type Forwarding } from './forward.ts'
import { renderResponse } from './render.ts'
import { isFinal, renderTask } from './render-task.ts'
import { awaitTask } from './task-result.ts'

type Serve = (params: JsonObject, askCore: AskCore, forwarding: Forwarding) => Promise<JsonObject>

const METHODS: { readonly [method: string]: Serve } = {
  async 'tasks/get'({ taskId }, askCore) {
    return renderTask(await askCore('tasks/get', { taskId }))
  },
  async 'tasks/cancel'({ taskId }, askCore) {
    const before = await askCore('tasks/get', { taskId })
    if (isFinal(before)) throw invalidParams(`the task is ${before.status} already`)
    await askCore('tasks/cancel', { taskId })
    const task = await askCore('tasks/get', { taskId })
    if (task.status !== 'cancelled') throw invalidParams(`the task is ${task.status} already`)
    return renderTask(task)
  },
  'tasks/result': ({ taskId }, askCore, forwarding) => awaitTask(String(taskId), askCore, forwarding),
}

/** Answers a request about tasks, or one that is to become a task. @throws RpcError */
export async function serveTask(request: Request, forwarding: Forwarding): Promise<Response> {
  if (request.method === 'tools/call') return await callAsTask(request, forwarding)
  const serve = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined
  if (!serve) throw methodNotFound(request.method)
  return success(request.id, await serve(request.params ?? {}, createAskCore(forwarding), forwarding))
}

/** Calls a tool as a task. A server that has no tasks answers as if it had not been asked for one. */
async function callAsTask(request: Request, forwarding: Forwarding): Promise<Response> {
  const { task, ...params } = request.params ?? {}
  const ttl = isObject(task) ? task.ttl : undefined
  const wish: TaskWish = typeof ttl === 'number' && ttl > 0 ? { ttlMs: ttl } : {}
  const envelope = { ...forwarding.envelope, [TASK_WISH]: wish }
  const forwarded = new Forwarded({ ...request, params }, { ...forwarding, envelope })
  const response = await forwarded.settle(await forwarding.core(forwarded.request, forwarded))
  if (!isSuccess(response) || response.result.resultType !== 'task')
    return renderResponse(request.method, response, forwarding.revision)
  return success(request.id, { task: renderTask(response.result) })
}
