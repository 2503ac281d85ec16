import { defineClientExtension } from '../../client/define-extension.ts'
import { ClientClosedError } from '../../client/errors.ts'
import type { ClientExtension, ClientExtensionContext } from '../../client/extension.ts'
import type { List } from '../../client/lists.ts'
import type { CallOptions } from '../../client/options.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/types.ts'
import type { Task } from '../types.ts'
import { createTaskHandle, type TaskHandle } from './handle.ts'

/** How a client follows its tasks. */
export interface ClientTasksOptions {
  /** True to subscribe to changes of tasks, in addition to polling. Default: false. */
  readonly listen?: boolean
}

/** The tasks of a client on its server: `client.tasks`. */
export interface ClientTasks {
  /** Calls a tool without waiting for a task. Resolves to the task that the call became, or to its result if it did not become one. */
  start(name: string, args?: JsonObject, options?: CallOptions): Promise<TaskHandle | CallToolResult>
  /** Returns a handle of a task by its id, which may have been stored before a restart. Does not check that the task exists. */
  open(taskId: string): TaskHandle
  /**
   * Lists the tasks of this client. Only some servers of revision 2025-11-25 support it; the extension does not.
   *
   * @throws RpcError -32601, during iteration, if the server does not support it.
   */
  list(options?: CallOptions): List<Task>
}

/** Marks a call that does not wait for its task. A symbol cannot appear in a message. */
const START: unique symbol = Symbol('start')
/** The member of the result of such a call that holds its task. */
const STARTED: unique symbol = Symbol('started')

/**
 * Creates the client side of the tasks extension: `callTool` waits for tasks that calls become, answers their input requests, and cancels
 * them when its signal is aborted.
 *
 * @example
 * const client = await connect(url, { elicit: askTheUser, extensions: [tasks()] })
 * const report = await client.callTool('render', {}, { onProgress: ({ message }) => show(message) })
 */
export function tasks(options: ClientTasksOptions = {}): ClientExtension<'tasks', ClientTasks> {
  return defineClientExtension({
    id: TASKS_EXTENSION,
    name: 'tasks',
    legacy: false,
    setup: (context) => createClientTasks(context, options),
  })
}

function createClientTasks(context: ClientExtensionContext, { listen = false }: ClientTasksOptions): ClientTasks {
  const closing = new AbortController()
  context.onClose(() => closing.abort(new ClientClosedError('The client was closed')))
  const open = (taskId: string): TaskHandle => createTaskHandle(taskId, { context, listen, closeSignal: closing.signal })
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) context.method(method, { nameParam: 'taskId' })
  context.handleResultType('tools/call', 'task', async ({ result, options }) => {
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

  const beforeFetch = async (): Promise<void> => {
    if (!(await context.serverCapability())?.list)
      throw new RpcError(ErrorCode.methodNotFound, 'This server does not support listing tasks')
  }

  return {
    open,
    list: (options) => context.list({ method: 'tasks/list', key: 'tasks', beforeFetch }, options),
    async start(name, args = {}, options = {}) {
      const meta = { ...options.meta, [START]: true }
      const result = await context.request('tools/call', { name, arguments: args }, { ...options, meta })
      return (result as { [STARTED]?: TaskHandle })[STARTED] ?? (result as unknown as CallToolResult)
    },
  }
}
