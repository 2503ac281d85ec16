/**
 * Serves the tasks extension with the tasks of a server of the revision that has them in its core. In that revision, the client decides
 * which calls become tasks, according to `tools/list`; input responses arrive by `tasks/update`. This file is loaded when both sides
 * support tasks.
 */
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { deriveContext, type Exchange, type ExchangeContext } from '../../jsonrpc/exchange.ts'
import {
  isObject,
  isSuccess,
  type JsonObject,
  type Notification,
  notification,
  type Request,
  type Response,
  success,
} from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import { isFinalTask } from '../render/task.ts'
import type { LegacyConnection } from './connection.ts'
import { readTask } from './read-response.ts'
import { createSubrequestSender } from './subrequests.ts'
import { createTaskProgress } from './task-progress.ts'
import { createTaskResults, type TaskResults } from './task-result.ts'
import { createTaskTools } from './task-tools.ts'

export interface LegacyTasksOptions {
  readonly connection: LegacyConnection
  /** Sends a request of the newest revision. */
  readonly forward: Exchange
  /** Serves the part of `subscriptions/listen` that does not concern tasks. */
  readonly listen: Exchange
}

/** The tasks extension on a legacy server. */
export interface LegacyTasks {
  /** The methods that are served here instead of being forwarded. */
  readonly methods: { readonly [method: string]: Exchange }
  /** Accepts an input request of a task whose result is awaited; `tasks/update` responds to it. Otherwise returns `undefined`. */
  acceptInputRequest(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined
  /** Handles notifications about tasks and tools. Returns whether no other listener needs the notification. */
  deliver(notification: Notification): boolean
}

/** Functions that send the current state of a task, by task ID. */
type TaskWatchers = Map<string, Set<() => void>>

/** Returns a task with its input requests, its result or its error. @throws RpcError */
type GetTask = (taskId: unknown, context: ExchangeContext) => Promise<JsonObject>

export function createLegacyTasks({ connection, forward, listen }: LegacyTasksOptions): LegacyTasks {
  const client = createSubrequestSender(forward)
  const tools = createTaskTools(client)
  const watchers: TaskWatchers = new Map()
  const notifyWatchers = (taskId: unknown): void => {
    for (const notify of watchers.get(taskId as string) ?? []) notify()
  }
  const results = createTaskResults(connection, notifyWatchers)
  const progress = createTaskProgress()
  const getTask: GetTask = async (taskId, context) =>
    withDetails(progress.apply(readTask(await client('tasks/get', { taskId }, context))), results, context)

  return {
    methods: {
      async 'tools/list'(request, context) {
        const page = await forward(request, context)
        tools.record(page)
        return page
      },
      async 'tools/call'(request, context) {
        const { name, _meta } = request.params ?? {}
        if (!declaresTasks(_meta) || !(await tools.supportsTasks(name, context))) return forward(request, context)
        const response = await forward({ ...request, params: { ...request.params, task: {} } }, context)
        return readCallResponse(response)
      },
      'tasks/get': toExchange(async ({ taskId }, context) => ({ ...(await getTask(taskId, context)), resultType: 'complete' })),
      'tasks/list': toExchange(async ({ cursor }, context) => {
        const { tasks, ...page } = await client('tasks/list', cursor === undefined ? {} : { cursor }, context)
        return { ...page, tasks: Array.isArray(tasks) ? tasks.filter(isObject).map(readTask) : [] }
      }),
      'tasks/update': toExchange(async ({ taskId, inputResponses }, context) => {
        if (!isObject(inputResponses)) throw invalidParams('inputResponses must be an object')
        await results.respond(taskId, inputResponses)
        await client('tasks/get', { taskId }, context)
        return { resultType: 'complete' }
      }),
      'tasks/cancel': toExchange(async ({ taskId }, context) => {
        await client('tasks/cancel', { taskId }, context).catch(async (error: unknown) => {
          if (!isInvalidParams(error) || !isFinalTask(await client('tasks/get', { taskId }, context))) throw error
        })
        return { resultType: 'complete' }
      }),
      'subscriptions/listen': createTaskListen({ listen, getTask, results, watchers }),
    },
    acceptInputRequest: results.accept,
    deliver({ method, params = {} }) {
      if (method === 'notifications/tools/list_changed') tools.reset()
      if (method === 'notifications/progress') notifyWatchers(progress.record(params))
      if (method !== 'notifications/tasks/status') return false
      notifyWatchers(params.taskId)
      return true
    },
  }
}

/** Reports whether a request may become a task. A request without client capabilities has those of the session. */
function declaresTasks(meta: unknown): boolean {
  const capabilities = isObject(meta) ? meta[MetaKey.clientCapabilities] : undefined
  if (!isObject(capabilities)) return true
  return isObject(capabilities.extensions) && TASKS_EXTENSION in capabilities.extensions
}

function toExchange(serve: (params: JsonObject, context: ExchangeContext) => Promise<JsonObject>): Exchange {
  return async ({ id, params = {} }, context) => success(id, await serve(params, context))
}

/** Reads the response to a call that asked for a task. The server may return the result of the call instead. */
function readCallResponse(response: Response): Response {
  if (!isSuccess(response) || !isObject(response.result.task)) return response
  const { task, _meta } = response.result
  return success(response.id, { ...readTask(task as JsonObject), resultType: 'task', ...(isObject(_meta) && { _meta }) })
}

async function withDetails(task: JsonObject, results: TaskResults, context: ExchangeContext): Promise<JsonObject> {
  const taskId = String(task.taskId)
  if (task.status === 'input_required') return { ...task, inputRequests: await results.inputRequests(taskId, context) }
  if (task.status === 'completed' || task.status === 'failed') return { ...task, ...(await results.outcome(taskId, context)) }
  return task
}

function isInvalidParams(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.invalidParams
}

interface TaskListenOptions extends Pick<LegacyTasksOptions, 'listen'> {
  readonly getTask: GetTask
  readonly results: TaskResults
  readonly watchers: TaskWatchers
}

/** Creates `subscriptions/listen` with support for task IDs: sends `notifications/tasks` when one of the tasks changes. */
function createTaskListen({ listen, getTask, results, watchers }: TaskListenOptions): Exchange {
  const watch = (taskId: string, { id }: Request, context: ExchangeContext): (() => void) => {
    const notify = coalesce(async () => {
      const task = await getTask(taskId, context)
      const _meta = { [MetaKey.subscriptionId]: id }
      await context.notify(notification('notifications/tasks', { ...task, _meta }))
      return isFinalTask(task)
    })
    watchers.set(taskId, (watchers.get(taskId) ?? new Set()).add(notify))
    results.open(taskId, context)
    return () => {
      watchers.get(taskId)?.delete(notify)
      if (watchers.get(taskId)?.size === 0) watchers.delete(taskId)
    }
  }

  return async (request, context) => {
    const { notifications } = request.params ?? {}
    if (!isObject(notifications) || !Array.isArray(notifications.taskIds)) return listen(request, context)
    const requested = notifications.taskIds.filter((id): id is string => typeof id === 'string')
    const tasks = await Promise.allSettled(requested.map((id) => getTask(id, context)))
    const taskIds = requested.filter((_, index) => tasks[index]?.status === 'fulfilled')
    const unwatch = taskIds.map((id) => watch(id, request, context))
    const notify = (message: Notification): void | Promise<void> => context.notify(acknowledgeTasks(message, taskIds))
    try {
      return await listen(request, deriveContext(context, { notify }))
    } finally {
      for (const remove of unwatch) remove()
    }
  }
}

/** Returns a function that runs `run`, and once more if it is called while `run` is running, until `run` returns `true`. */
function coalesce(run: () => Promise<boolean>): () => void {
  let isRunning = false
  let isRequested = false
  let isDone = false
  const next = async (): Promise<void> => {
    isRunning = true
    isRequested = false
    isDone = await run().catch(() => false)
    isRunning = false
    if (isRequested && !isDone) await next()
  }
  return () => {
    isRequested = true
    if (!isRunning && !isDone) void next()
  }
}

/** Adds the tasks to an acknowledgement; other notifications are returned as they are. */
function acknowledgeTasks(message: Notification, taskIds: readonly string[]): Notification {
  if (message.method !== 'notifications/subscriptions/acknowledged') return message
  const accepted = isObject(message.params?.notifications) ? message.params.notifications : {}
  return { ...message, params: { ...message.params, notifications: { ...accepted, taskIds } } }
}
