import { retryableOnce } from '../../../../util/src/async.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../../jsonrpc/message.ts'
import { followPages } from '../../protocol/pages.ts'
import { TASK_SUPPORT } from '../../protocol/tasks.ts'
import type { SubrequestSender } from './subrequests.ts'

/** The tools that the server can run as tasks, according to `tools/list`. */
export interface TaskTools {
  /** Records the tools of a page of `tools/list`. */
  record(page: Response): void
  /** Returns whether calls of a tool become tasks. Fetches `tools/list` if the tool is unknown. */
  supportsTasks(name: unknown, context: ExchangeContext): Promise<boolean>
  /** Forgets all tools, because the list has changed. */
  reset(): void
}

export function createTaskTools(client: SubrequestSender): TaskTools {
  let support = new Map<unknown, boolean>()

  const recordTools = ({ tools }: JsonObject): void => {
    for (const tool of Array.isArray(tools) ? tools.filter(isObject) : []) support.set(tool.name, hasTaskSupport(tool))
  }
  const list = retryableOnce(async (context: ExchangeContext): Promise<void> => {
    const fetch = (cursor: string | undefined): Promise<JsonObject> =>
      client('tools/list', cursor === undefined ? {} : { cursor }, context)
    for await (const page of followPages({ method: 'tools/list', key: 'tools', fetch })) recordTools(page)
  })

  return {
    record(page) {
      if (isSuccess(page)) recordTools(page.result)
    },
    async supportsTasks(name, context) {
      if (!support.has(name)) await list.run(context)
      return support.get(name) ?? false
    },
    reset() {
      support = new Map()
      list.reset()
    },
  }
}

/** If the server leaves the choice to the client, calls become tasks, because tasks survive a lost connection. */
function hasTaskSupport({ [TASK_SUPPORT]: support }: JsonObject & { [TASK_SUPPORT]?: unknown }): boolean {
  return support === 'optional' || support === 'required'
}
