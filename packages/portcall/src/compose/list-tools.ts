import { RpcError } from '../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { deriveContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request } from '../jsonrpc/message.ts'

/** The tools that the caller of a request may list, and the other members of the last page. */
export interface ListedTools {
  readonly tools: readonly JsonObject[]
  readonly result: JsonObject
}

/** A server that returns the same cursor forever must not keep the caller waiting. */
const MAX_PAGES = 1000

/** Lists all tools on behalf of the caller of a request. @throws RpcError if the list fails. */
export async function listTools(request: Request, context: ExchangeContext, next: Exchange): Promise<ListedTools> {
  const { progressToken: _token, ..._meta } = isObject(request.params?._meta) ? request.params._meta : {}
  const own = deriveContext(context, { readParamHeader: undefined })
  const first = await fetchPage(undefined)
  // The array of a single page is the same until the list changes, so it can be the key of a memo.
  if (isLast(first.result)) return first
  const pages = [first]
  let page = first
  while (!isLast(page.result) && pages.length < MAX_PAGES) {
    page = await fetchPage(page.result.nextCursor)
    pages.push(page)
  }
  return { tools: pages.flatMap(({ tools }) => tools), result: page.result }

  async function fetchPage(cursor: unknown): Promise<ListedTools> {
    const params = { _meta, ...(cursor !== undefined && { cursor }) }
    const response = await next({ jsonrpc: '2.0', id: request.id, method: 'tools/list', params }, own)
    if (!isSuccess(response)) throw new RpcError(response.error.code, response.error.message, response.error.data)
    const { tools } = response.result
    const isWellFormed = Array.isArray(tools) && tools.every(isObject)
    return { tools: isWellFormed ? tools : Array.isArray(tools) ? tools.filter(isObject) : [], result: response.result }
  }
}

function isLast({ nextCursor }: JsonObject): boolean {
  return nextCursor === undefined || nextCursor === null
}

/** Returns the tool with a name. */
export function findTool(tools: readonly JsonObject[], name: unknown): JsonObject | undefined {
  return tools.find((tool) => tool.name === name)
}
