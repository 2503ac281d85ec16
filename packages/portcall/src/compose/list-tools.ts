import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { subrequestMeta } from '../protocol/subrequest.ts'
import { KINDS } from './kinds.ts'
import { listPages, type MiddlewareRequest } from './list-pages.ts'

/** The tools that the caller of a request may list, and the members of the last page besides its tools. */
export interface ListedTools {
  readonly tools: readonly JsonObject[]
  readonly rest: JsonObject
}

/** Lists all tools on behalf of the caller of a request. @throws RpcError if the list fails. */
export async function listTools(caller: MiddlewareRequest): Promise<ListedTools> {
  const pages: JsonObject[] = []
  for await (const page of listPages(KINDS.tool, caller)) pages.push(page)
  const [first = {}] = pages
  // The array of a single page is the same until the list changes, so it can be the key of a memo.
  const tools = pages.length > 1 ? pages.flatMap(toolsOf) : toolsOf(first)
  const { nextCursor: _next, tools: _tools, ...rest } = pages.at(-1) ?? first
  return { tools, rest }
}

/**
 * The key in the `_meta` of a list request under which middleware says that the list which was fetched last is new enough. A symbol cannot appear in
 * a message. A gateway then asks no server.
 */
export const KNOWN_LIST: unique symbol = Symbol('known list')

/** Returns a tool that the caller of a request may list. Asks remote servers only if no list has it yet. @throws RpcError if the list fails. */
export async function findKnownTool(caller: MiddlewareRequest, name: string): Promise<JsonObject | undefined> {
  const { request } = caller
  const params = { ...request.params, _meta: { ...subrequestMeta(request), [KNOWN_LIST]: true } }
  const known = findTool((await listTools({ ...caller, request: { ...request, params } })).tools, name)
  return known ?? findTool((await listTools(caller)).tools, name)
}

function toolsOf({ tools }: JsonObject): readonly JsonObject[] {
  if (!Array.isArray(tools)) return []
  return tools.every(isObject) ? tools : tools.filter(isObject)
}

/** Returns the tool with a name. */
export function findTool(tools: readonly JsonObject[], name: unknown): JsonObject | undefined {
  return tools.find((tool) => tool.name === name)
}
