import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'
import type { Send } from './client-send.ts'

/** Which tools a server calls as tasks, as far as its lists were seen. */
export interface TaskTools {
  /** Takes in what a page of the list says; gives the page. */
  learn(page: Response): Response
  /** Tells whether calls of a tool become tasks. A tool of which nothing is known makes it read the list. */
  become(name: unknown, context: ExchangeContext): Promise<boolean>
  /** The list has changed. */
  forget(): void
}

const MAX_PAGES = 64

export function createTaskTools(send: Send): TaskTools {
  let supports = new Map<unknown, boolean>()
  let whole: Promise<void> | undefined

  const take = ({ tools }: JsonObject): void => {
    for (const tool of Array.isArray(tools) ? tools.filter(isObject) : []) supports.set(tool.name, supportsTasks(tool))
  }
  const readAll = async (context: ExchangeContext): Promise<void> => {
    let cursor: unknown
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await send('tools/list', cursor === undefined ? {} : { cursor }, context)
      take(result)
      cursor = result.nextCursor
      if (cursor === undefined) return
    }
  }
  const learnAll = (context: ExchangeContext): Promise<void> => {
    const reading = (whole ??= readAll(context))
    reading.catch(() => {
      if (whole === reading) whole = undefined
    })
    return reading
  }

  return {
    learn(page) {
      if (isSuccess(page)) take(page.result)
      return page
    },
    async become(name, context) {
      if (!supports.has(name)) await learnAll(context)
      return supports.get(name) ?? false
    },
    forget() {
      supports = new Map()
      whole = undefined
    },
  }
}

/** Where a server leaves it to its callers, they ask for a task: it outlives the connection. */
function supportsTasks({ execution }: JsonObject): boolean {
  return isObject(execution) && (execution.taskSupport === 'optional' || execution.taskSupport === 'required')
}
