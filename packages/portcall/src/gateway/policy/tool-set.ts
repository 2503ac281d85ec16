import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { toStrings } from '../../../../util/src/strings.ts'
import { type ToolSearchOptions, toolSearch } from '../../compose/search/tool-search.ts'
import { applySettings, changeSchema } from '../../compose/transforms/arguments.ts'
import { createUriMatcher } from '../../compose/uri-matcher.ts'
import type { Exchange, ExchangeContext, Middleware } from '../../jsonrpc/exchange.ts'
import {
  isObject,
  isSuccess,
  type JsonObject,
  type JsonValue,
  type Request,
  type Response,
  success,
} from '../../jsonrpc/message.ts'
import { unknownItem } from '../../protocol/errors.ts'
import { subrequestContext } from '../../protocol/subrequest.ts'
import { GATEWAY_KIND_OF_METHOD } from './item-kinds.ts'
import { ITEM_METHODS } from './item-methods.ts'
import { type ItemSelection, selectItems } from './item-selection.ts'
import type { Patterns } from './rule.ts'
import type { GatewayItemKind } from './types.ts'

/** A change of an argument of a tool. */
export type ArgumentChange =
  | {
      /** The value that the argument always has. The argument is not listed. */
      readonly fixed: JsonValue
    }
  | {
      /** The argument is neither listed nor sent to the server. */
      readonly hidden: true
    }

/** A change of a tool. */
export interface ToolChange {
  /** Another name. */
  readonly name?: string
  /** Another title. */
  readonly title?: string
  /** Another description. */
  readonly description?: string
  /** Changes of arguments, by name. */
  readonly arguments?: { readonly [argument: string]: ArgumentChange }
}

/** Options of `toolSet`. Names and URIs are those that the gateway lists. Patterns may contain `*`. */
export interface ToolSetOptions {
  /** The tools. Default: all. */
  readonly tools?: Patterns
  /** Tools to leave out. */
  readonly exclude?: Patterns
  /** The prompts. Default: all. */
  readonly prompts?: Patterns
  /** The resources and resource templates, by their URI. Default: all. */
  readonly resources?: Patterns
  /** The event types. Default: all. */
  readonly events?: Patterns
  /** Changes of tools, by name. */
  readonly changes?: { readonly [tool: string]: ToolChange }
  /** Lists three tools that search, describe and call, instead of all. Default: false. */
  readonly search?: boolean | ToolSearchOptions
}

/** Reports whether an item of a list is in the set. */
type ItemTest = (id: string) => boolean

/**
 * Creates middleware that offers a part of a gateway or server, with other names, descriptions and arguments. What is not in the set is
 * answered as if it did not exist.
 *
 * @throws TypeError if two tools get the same name.
 */
export function toolSet({ search = false, ...options }: ToolSetOptions): Middleware {
  const selected = createSelection(options)
  if (search === false) return selected
  const found = toolSearch(search === true ? {} : search)
  return (request, context, next) => found(request, context, (inner, innerContext) => selected(inner, innerContext, next))
}

function createSelection(options: Omit<ToolSetOptions, 'search'>): Middleware {
  const { changes = {} } = options
  const renamed = new Map(Object.entries(changes).map(([tool, { name = tool }]) => [name, tool]))
  if (renamed.size < Object.keys(changes).length) throw new TypeError('changes gives several tools the same name')
  const tests = createTests(options)
  const selection: ItemSelection = { keeps: (kind, name) => tests[kind](name), mayKeep: createPrefixTest(options) }
  /** Returns the name of a tool in the gateway, or `undefined` if it is not in the set. */
  const originalOf = (name: string): string | undefined => {
    const tool = renamed.get(name) ?? (Object.hasOwn(changes, name) ? undefined : name)
    return tool !== undefined && tests.tool(tool) ? tool : undefined
  }
  const callTool = async (request: Request, context: ExchangeContext, next: Exchange): Promise<Response> => {
    const params = request.params ?? {}
    const tool = originalOf(String(params.name))
    if (tool === undefined) throw unknownItem('tool', params.name)
    const change = Object.hasOwn(changes, tool) ? changes[tool] : undefined
    if (!change) return next(request, context)
    const { arguments: args = {} } = params
    if (!change.arguments || !isObject(args)) return next({ ...request, params: { ...params, name: tool } }, context)
    const changed = await applySettings(args, change.arguments, undefined)
    return next({ ...request, params: { ...params, name: tool, arguments: changed } }, subrequestContext(context))
  }
  return async (request, context, next) => {
    const listed = GATEWAY_KIND_OF_METHOD.get(request.method)
    if (listed) {
      const response = await next(withSelection(request, selection), context)
      return changeList(response, { key: listed.key, id: listed.id, keep: tests[listed.kind], changes })
    }
    // A skill is a resource with more methods.
    if (request.method === 'skills/list')
      return changeList(await next(request, context), { key: 'skills', id: 'uri', keep: tests.resource, changes })
    if (request.method === 'skills/get' && !tests.resource(String(request.params?.uri)))
      throw unknownItem('skill', request.params?.uri)
    if (request.method === 'server/discover') return next(withSelection(request, selection), context)
    if (request.method === 'tools/call') return callTool(request, context, next)
    if (request.method === 'subscriptions/listen') return next(filterSubscriptions(request, tests.resource), context)
    const method = ITEM_METHODS[request.method]
    const params = request.params ?? {}
    if (method && !isInSet(request, tests)) throw method.unknown(params)
    return next(request, context)
  }
}

type Tests = { readonly [kind in GatewayItemKind]: ItemTest }

function createTests({ tools, exclude = [], prompts, resources, events }: ToolSetOptions): Tests {
  const isExcluded = createNameMatcher(toStrings(exclude))
  const matchesTool = createTest(tools)
  const matchesUri = resources === undefined ? () => true : createUriMatcher(toStrings(resources)).matchesAll
  return {
    tool: (name) => matchesTool(name) && !isExcluded(name),
    prompt: createTest(prompts),
    resource: matchesUri,
    template: matchesUri,
    event: createTest(events),
  }
}

/** Creates the test whether tools and prompts that have a prefix may be in the set. */
function createPrefixTest({ tools, exclude = [], prompts = [], events = [] }: ToolSetOptions): ItemSelection['mayKeep'] {
  const mayMatch = (patterns: Patterns, prefix: string): boolean =>
    toStrings(patterns).some((pattern) => {
      const [start = '', ...rest] = pattern.split('*')
      return start.startsWith(prefix) || (rest.length > 0 && prefix.startsWith(start))
    })
  const isExcluded = (prefix: string): boolean =>
    toStrings(exclude).some((pattern) => pattern.indexOf('*') === pattern.length - 1 && prefix.startsWith(pattern.slice(0, -1)))
  return (prefix) => {
    if (prefix === undefined) return tools === undefined
    return (mayMatch(tools ?? '*', prefix) && !isExcluded(prefix)) || mayMatch(prompts, prefix) || mayMatch(events, prefix)
  }
}

/** Passes the selection on to the gateway, which then does not name other servers. */
function withSelection(request: Request, own: ItemSelection): Request {
  const meta = isObject(request.params?._meta) ? request.params._meta : {}
  return { ...request, params: { ...request.params, _meta: selectItems(meta, own) } }
}

function createTest(patterns: Patterns | undefined): ItemTest {
  return patterns === undefined ? () => true : createNameMatcher(toStrings(patterns))
}

function isInSet({ method, params = {} }: Request, tests: Tests): boolean {
  if (method.startsWith('events/')) return tests.event(String(params.name))
  if (method === 'prompts/get') return tests.prompt(String(params.name))
  if (method === 'resources/read') return tests.resource(String(params.uri))
  const ref: JsonObject = isObject(params.ref) ? params.ref : {}
  return ref.type === 'ref/prompt' ? tests.prompt(String(ref.name)) : tests.template(String(ref.uri))
}

function filterSubscriptions(request: Request, keep: ItemTest): Request {
  const requested = request.params?.notifications
  if (!isObject(requested) || !Array.isArray(requested.resourceSubscriptions)) return request
  const resourceSubscriptions = requested.resourceSubscriptions.filter((uri) => keep(String(uri)))
  return { ...request, params: { ...request.params, notifications: { ...requested, resourceSubscriptions } } }
}

interface ListChanges {
  readonly key: string
  readonly id: string
  readonly keep: ItemTest
  readonly changes: { readonly [tool: string]: ToolChange }
}

function changeList(response: Response, { key, id, keep, changes }: ListChanges): Response {
  const list = isSuccess(response) ? response.result[key] : undefined
  if (!isSuccess(response) || !Array.isArray(list)) return response
  const kept = list.filter((item): item is JsonObject => isObject(item) && keep(String(item[id])))
  const changed = kept.map((item) => {
    const name = String(item[id])
    return key === 'tools' && Object.hasOwn(changes, name) ? changeTool(item, changes[name] ?? {}) : item
  })
  return success(response.id, { ...response.result, [key]: changed })
}

function changeTool(tool: JsonObject, { arguments: args, ...members }: ToolChange): JsonObject {
  return { ...tool, ...members, ...(args && { inputSchema: changeSchema(tool.inputSchema, args) }) }
}
