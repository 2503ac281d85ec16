import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { closestName } from '../../../../util/src/closest-name.ts'
import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import { type JsonObject, type Response, success } from '../../jsonrpc/message.ts'
import { isVisibleTo } from '../../protocol/apps.ts'
import { describeUnknown, invalidParams, unknownItem } from '../../protocol/errors.ts'
import { subrequestContext } from '../../protocol/subrequest.ts'
import { isListedForViews, toolsForModels } from '../audience.ts'
import { argumentsOf, type MiddlewareRequest } from '../list-pages.ts'
import { findKnownTool, findTool, listTools } from '../list-tools.ts'
import { textResult } from '../text-result.ts'
import { defineSearchTools, formatMatches, type SearchToolNames } from './search-tools.ts'
import { createToolIndex, type ToolIndex } from './tool-index.ts'

/** Options of `toolSearch`. */
export interface ToolSearchOptions {
  /** Tools to list in addition to the three, for example because models need them often. Names may contain `*`. Default: none. */
  readonly always?: readonly string[]
  /** How many tools a search returns if the model does not say. Default: 5. */
  readonly limit?: number
  /** Other names of the three tools. */
  readonly names?: SearchToolNames
}

const NAMES: OptionNames<ToolSearchOptions> = { always: 'texts', limit: 'count', names: 'object' }
const TOOL_NAMES: OptionNames<SearchToolNames> = { search: 'text', describe: 'text', call: 'text' }
const LIMIT = 5
const MAX_LIMIT = 25
const MAX_QUERY_LENGTH = 1000

/**
 * Creates middleware that lists three tools instead of all: one that searches, one that returns definitions, and one that calls. A model with
 * a thousand tools then starts with a short list. Each caller finds and calls only what it may list.
 *
 * @example
 * server.use(toolSearch())
 *
 * @throws TypeError if two of the three tools have the same name.
 */
export function toolSearch(options: ToolSearchOptions = {}): Middleware {
  checkOptions('toolSearch()', options, { names: NAMES, advice: { tools: 'Pass the tools that are always listed as "always"' } })
  const { always = [], limit = LIMIT, names: given = {} } = options
  checkOptions('toolSearch(): names', given, { names: TOOL_NAMES })
  const names = { search: 'search_tools', describe: 'describe_tool', call: 'call_tool', ...given }
  if (new Set(Object.values(names)).size < 3) throw new TypeError('toolSearch: names gives two tools the same name')
  const isAlwaysListed = createNameMatcher(always)
  const index = createToolIndex()
  const own: { readonly [name: string]: (call: MiddlewareRequest) => Promise<Response> } = {
    [names.search]: (call) => search(call, { index, limit }),
    [names.describe]: describe,
    [names.call]: callInner,
  }
  const list = async (call: MiddlewareRequest): Promise<Response> => {
    const { tools, rest } = await listTools(call)
    const models = toolsForModels(tools)
    const isListed = (tool: JsonObject): boolean =>
      isListedForViews(tool, call.request) || (isAlwaysListed(String(tool.name)) && models.includes(tool))
    const others = tools.filter((tool) => isListed(tool) && !Object.hasOwn(own, String(tool.name)))
    return success(call.request.id, { ...rest, tools: [...defineSearchTools(names, models), ...others] })
  }
  return async (request, context, next) => {
    const call = { request, context, next }
    if (request.method === 'tools/list') return list(call)
    const name = request.method === 'tools/call' ? request.params?.name : undefined
    return typeof name === 'string' && Object.hasOwn(own, name)
      ? (own[name]?.(call) ?? next(request, context))
      : next(request, context)
  }
}

async function search(
  call: MiddlewareRequest,
  options: { readonly index: ToolIndex; readonly limit: number },
): Promise<Response> {
  const { request } = call
  const { query, limit = options.limit } = argumentsOf(request)
  if (typeof query !== 'string') return textResult(request, 'query must be a string', true)
  const tools = toolsForModels((await listTools(call)).tools)
  const most = Math.min(Math.max(Math.trunc(Number(limit)) || options.limit, 1), MAX_LIMIT)
  const found = await options.index.search(tools, query.slice(0, MAX_QUERY_LENGTH), most)
  if (found.length > 0) return textResult(request, formatMatches(found))
  return textResult(request, `None of the ${tools.length} tools matches. Try other words.`)
}

async function describe(call: MiddlewareRequest): Promise<Response> {
  const { request } = call
  const { name } = argumentsOf(request)
  const tools = toolsForModels((await listTools(call)).tools)
  const tool = findTool(tools, name)
  if (tool) return textResult(request, JSON.stringify(tool))
  const similar = closestName(String(name), namesOf(tools))
  return textResult(request, `${describeUnknown('tool', name)}.${similar ? ` Did you mean ${similar}?` : ''}`, true)
}

const namesOf = (tools: readonly JsonObject[]): string[] => tools.map((tool) => String(tool.name))

/** Calls another tool instead. Results, input requests, tasks and errors are the same as with a direct call. */
async function callInner(call: MiddlewareRequest): Promise<Response> {
  const { request, context, next } = call
  const { name, arguments: args = {} } = argumentsOf(request)
  if (typeof name !== 'string') throw invalidParams('the name of the tool to call is missing')
  const tool = await findKnownTool(call, name)
  if (tool && !isVisibleTo(tool, 'model')) throw unknownItem('tool', name)
  return next({ ...request, params: { ...request.params, name, arguments: args } }, subrequestContext(context))
}
