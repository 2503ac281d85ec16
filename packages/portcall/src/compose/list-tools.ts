import { resultOf } from '../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { deriveContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.ts'
import { followPages, PAGE_LIMITS } from '../protocol/pages.ts'

/** The tools that the caller of a request may list, and the other members of the last page. */
export interface ListedTools {
  readonly tools: readonly JsonObject[]
  readonly result: JsonObject
}

/** Lists all tools on behalf of the caller of a request. @throws RpcError if the list fails. */
export async function listTools(request: Request, context: ExchangeContext, next: Exchange): Promise<ListedTools> {
  const { progressToken: _token, ..._meta } = isObject(request.params?._meta) ? request.params._meta : {}
  const own = deriveContext(context, { readParamHeader: undefined })
  const pages: JsonObject[] = []
  const list = { method: 'tools/list', key: 'tools', fetch: fetchPage, maxPages: PAGE_LIMITS.local }
  for await (const page of followPages(list)) pages.push(page)
  const [first = {}] = pages
  // The array of a single page is the same until the list changes, so it can be the key of a memo.
  return { tools: pages.length > 1 ? pages.flatMap(toolsOf) : toolsOf(first), result: pages.at(-1) ?? first }

  async function fetchPage(cursor: string | undefined): Promise<JsonObject> {
    const params = { _meta, ...(cursor !== undefined && { cursor }) }
    return resultOf(await next({ jsonrpc: '2.0', id: request.id, method: 'tools/list', params }, own), 'tools/list')
  }
}

function toolsOf({ tools }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(tools)) return []
  return tools.every(isObject) ? tools : tools.filter(isObject)
}

/** Returns the tool with a name. */
export function findTool(tools: readonly JsonObject[], name: unknown): JsonObject | undefined {
  return tools.find((tool) => tool.name === name)
}
