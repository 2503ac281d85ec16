/**
 * Tasks of a server of the revision that has them in its core, as those of the extension: which calls become tasks is asked for here, by what
 * the lists say of each tool, and what a task asks is answered by `tasks/update`. This file is loaded when both sides speak of tasks.
 */
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { deriveContext, type Exchange, type ExchangeContext } from '../jsonrpc/exchange.ts'
import {
  isObject,
  isSuccess,
  type JsonObject,
  type Notification,
  notification,
  type Request,
  type Response,
  success,
} from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { MetaKey } from '../protocol/meta.ts'
import { createSend } from './client-send.ts'
import { createTaskProgress } from './client-task-progress.ts'
import { createTaskResults, type TaskResults } from './client-task-result.ts'
import { createTaskTools } from './client-task-tools.ts'
import type { LegacyLink } from './link.ts'
import { readTask } from './read-task.ts'
import { isFinal } from './render-task.ts'

export interface ClientTasksOptions {
  readonly link: LegacyLink
  /** Sends a request of the newest revision. */
  readonly forward: Exchange
  /** Serves `subscriptions/listen` as far as it is not about tasks. */
  readonly listen: Exchange
}

/** Speaks of tasks with a server, for its client. */
export interface ClientTasks {
  /** What is served here, by method. */
  readonly methods: { readonly [method: string]: Exchange }
  /** Takes a question of a task that somebody here asks after; it is answered by `tasks/update`. Nothing when it is nobody's. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> | undefined
  /** Hears of tasks, and of tools. Tells whether nobody else need hear it. */
  deliver(told: Notification): boolean
}

export function createClientTasks({ link, forward, listen }: ClientTasksOptions): ClientTasks {
  const send = createSend(forward)
  const tools = createTaskTools(send)
  const watchers = new Map<string, Set<() => void>>()
  const changed = (taskId: unknown): void => {
    for (const tell of watchers.get(taskId as string) ?? []) tell()
  }
  const results = createTaskResults(link, changed)
  const progress = createTaskProgress()
  const details: Details = async (taskId, context) =>
    detailsOf(progress.tell(readTask(await send('tasks/get', { taskId }, context))), results, context)

  return {
    methods: {
      'tools/list': async (request, context) => tools.learn(await forward(request, context)),
      async 'tools/call'(request, context) {
        const { name } = request.params ?? {}
        if (!(await tools.become(name, context))) return forward(request, context)
        const response = await forward({ ...request, params: { ...request.params, task: {} } }, context)
        return readCreated(response)
      },
      'tasks/get': serving(async ({ taskId }, context) => ({ ...(await details(taskId, context)), resultType: 'complete' })),
      'tasks/list': serving(async ({ cursor }, context) => {
        const { tasks, ...page } = await send('tasks/list', cursor === undefined ? {} : { cursor }, context)
        return { ...page, tasks: Array.isArray(tasks) ? tasks.filter(isObject).map(readTask) : [] }
      }),
      'tasks/update': serving(async ({ taskId, inputResponses }, context) => {
        if (!isObject(inputResponses)) throw invalidParams('inputResponses has to be an object')
        await results.update(taskId, inputResponses)
        await send('tasks/get', { taskId }, context)
        return { resultType: 'complete' }
      }),
      'tasks/cancel': serving(async ({ taskId }, context) => {
        await send('tasks/cancel', { taskId }, context).catch(async (error: unknown) => {
          if (!isRefused(error) || !isFinal(await send('tasks/get', { taskId }, context))) throw error
        })
        return { resultType: 'complete' }
      }),
      'subscriptions/listen': createListen({ listen, details, results, watchers }),
    },
    ask: results.ask,
    deliver({ method, params = {} }) {
      if (method === 'notifications/tools/list_changed') tools.forget()
      if (method === 'notifications/progress') changed(progress.hear(params))
      if (method !== 'notifications/tasks/status') return false
      changed(params.taskId)
      return true
    },
  }
}

/** How a task stands, with what belongs to that. @throws RpcError */
type Details = (taskId: unknown, context: ExchangeContext) => Promise<JsonObject>

function serving(serve: (params: JsonObject, context: ExchangeContext) => Promise<JsonObject>): Exchange {
  return async ({ id, params = {} }, context) => success(id, await serve(params, context))
}

/** What a call was answered with that was to become a task; a server may answer it at once all the same. */
function readCreated(response: Response): Response {
  if (!isSuccess(response) || !isObject(response.result.task)) return response
  const { task, _meta } = response.result
  return success(response.id, { ...readTask(task as JsonObject), resultType: 'task', ...(isObject(_meta) && { _meta }) })
}

/** A task with its questions, its result or its error: all of them come by `tasks/result`. */
async function detailsOf(task: JsonObject, results: TaskResults, context: ExchangeContext): Promise<JsonObject> {
  const taskId = String(task.taskId)
  if (task.status === 'input_required') return { ...task, inputRequests: await results.questions(taskId, context) }
  if (task.status === 'completed' || task.status === 'failed') return { ...task, ...(await results.outcome(taskId, context)) }
  return task
}

function isRefused(error: unknown): boolean {
  return error instanceof RpcError && error.code === ErrorCode.invalidParams
}

interface ListenOptions extends Pick<ClientTasksOptions, 'listen'> {
  readonly details: Details
  readonly results: TaskResults
  /** Who wants to hear of which task. */
  readonly watchers: Map<string, Set<() => void>>
}

/** Listens, also for tasks: whoever waits for the result of one is told of it as it goes on. */
function createListen({ listen, details, results, watchers }: ListenOptions): Exchange {
  const watch = (taskId: string, { id }: Request, context: ExchangeContext): (() => void) => {
    const tell = oneAtATime(async () => {
      const task = await details(taskId, context)
      const _meta = { [MetaKey.subscriptionId]: id }
      await context.notify(notification('notifications/tasks', { ...task, _meta }))
      return isFinal(task)
    })
    watchers.set(taskId, (watchers.get(taskId) ?? new Set()).add(tell))
    results.follow(taskId, context)
    return () => {
      watchers.get(taskId)?.delete(tell)
      if (watchers.get(taskId)?.size === 0) watchers.delete(taskId)
    }
  }

  return async (request, context) => {
    const { notifications } = request.params ?? {}
    if (!isObject(notifications) || !Array.isArray(notifications.taskIds)) return listen(request, context)
    const asked = notifications.taskIds.filter((id): id is string => typeof id === 'string')
    const known = await Promise.allSettled(asked.map((id) => details(id, context)))
    const taskIds = asked.filter((_, at) => known[at]?.status === 'fulfilled')
    const leaving = taskIds.map((id) => watch(id, request, context))
    const notify = (told: Notification): void | Promise<void> => context.notify(withTasks(told, taskIds))
    try {
      return await listen(request, deriveContext(context, { notify }))
    } finally {
      for (const leave of leaving) leave()
    }
  }
}

/** Runs again when it was asked for meanwhile, until it says that it is done. */
function oneAtATime(run: () => Promise<boolean>): () => void {
  let running = false
  let again = false
  let done = false
  const next = async (): Promise<void> => {
    running = true
    again = false
    done = await run().catch(() => false)
    running = false
    if (again && !done) await next()
  }
  return () => {
    again = true
    if (!running && !done) void next()
  }
}

/** An acknowledgement names the tasks too that are told of. */
function withTasks(told: Notification, taskIds: readonly string[]): Notification {
  if (told.method !== 'notifications/subscriptions/acknowledged') return told
  const honoured = isObject(told.params?.notifications) ? told.params.notifications : {}
  return { ...told, params: { ...told.params, notifications: { ...honoured, taskIds } } }
}
