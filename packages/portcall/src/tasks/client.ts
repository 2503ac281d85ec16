import {
  type CallOptions,
  type CallToolResult,
  type ClientExtension,
  type ClientHost,
  ConnectionClosed,
  ErrorCode,
  extension,
  type List,
  RpcError,
} from '../client.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { createHandle, type TaskHandle } from './handle.ts'
import type { Task } from './types.ts'

/** How a client follows its tasks. */
export interface ClientTasksOptions {
  /** Hears of changes by subscription too, and not only by asking now and then. Default: false. */
  readonly listen?: boolean
}

/** The tasks of a server, for its client: `client.tasks`. */
export interface ClientTasks {
  /** Calls a tool and does not wait for a task that comes of it; a call that was answered at once has its result. */
  start(name: string, args?: JsonObject, options?: CallOptions): Promise<TaskHandle | CallToolResult>
  /** A task of this caller by its id, which may have been kept since before a restart. Whether it exists is seen when it is asked after. */
  open(taskId: string): TaskHandle
  /**
   * This caller's tasks, where the server lists them: some of 2025-11-25 do. The extension has no list.
   *
   * @throws RpcError -32601, while iterating, when the server does not.
   */
  list(options?: CallOptions): List<Task>
}

/** Marks a call that does not wait for its task. No message carries it. */
const START: unique symbol = Symbol('start')
/** Where the result of such a call has its task. */
const STARTED: unique symbol = Symbol('started')

/**
 * Lets a client call tools whose calls become tasks: `callTool` waits for their end, answers what they ask, and cancels them when its signal
 * is aborted.
 *
 * @example
 * const client = await connect(url, { elicit: askTheUser, extensions: [tasks()] })
 * const report = await client.callTool('render', {}, { onProgress: ({ message }) => show(message) })
 */
export function tasks(options: ClientTasksOptions = {}): ClientExtension<'tasks', ClientTasks> {
  return extension({
    id: TASKS_EXTENSION,
    name: 'tasks',
    legacy: false,
    connect: (host) => createClientTasks(host, options),
  })
}

function createClientTasks(host: ClientHost, { listen = false }: ClientTasksOptions): ClientTasks {
  const closing = new AbortController()
  host.onClose(() => closing.abort(new ConnectionClosed('The client was closed')))
  const open = (taskId: string): TaskHandle => createHandle(taskId, { host, listens: listen, closed: closing.signal })
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) host.method(method, { nameParam: 'taskId' })
  host.result('tools/call', 'task', async ({ result, options }) => {
    const task = open(String(result.taskId))
    const { meta } = options as { readonly meta?: { readonly [START]?: true } }
    if (meta?.[START]) return { resultType: 'complete', content: [], [STARTED]: task } as JsonObject
    try {
      return { ...(await task.result(options)) }
    } catch (error) {
      await task.cancel().catch(() => {})
      throw error
    }
  })

  const begin = async (): Promise<void> => {
    if (!(await host.declared())?.list) throw new RpcError(ErrorCode.methodNotFound, 'This server does not list tasks')
  }

  return {
    open,
    list: (given) => host.list({ method: 'tasks/list', key: 'tasks', begin }, given),
    async start(name, args = {}, options = {}) {
      const meta = { ...options.meta, [START]: true }
      const result = await host.request('tools/call', { name, arguments: args }, { ...options, meta })
      return (result as { [STARTED]?: TaskHandle })[STARTED] ?? (result as unknown as CallToolResult)
    },
  }
}
