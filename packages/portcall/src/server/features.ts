import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { missingClientCapability } from '../protocol/errors.ts'
import { METHODS } from '../protocol/methods.ts'
import type { CacheHint, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/types.ts'
import { createMemoryBus } from '../stores/memory-bus.ts'
import { createMemoryStore } from '../stores/memory-store.ts'
import { createSealer, type Sealer } from '../stores/seal.ts'
import type { CallContext } from './call.ts'
import { createComplete } from './completion.ts'
import { createDeadlines } from './deadlines.ts'
import { createDiscover } from './discover.ts'
import type { DispatchOptions, Handler } from './dispatch.ts'
import type { OnEvent } from './events.ts'
import { createList, createVisible } from './lists.ts'
import { createDeclared, createOffers, type Declared, type Offers } from './offers.ts'
import { type Cacheable, type Extension, SERVER_LIMITS, type ServerLimits, type ServerOptions } from './options.ts'
import { createGetPrompt } from './prompts.ts'
import { createPermit, createRead, listResources } from './resources.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'
import { createCallTool } from './tools.ts'

/** All that a server offers, ready to be served. */
export interface Features {
  readonly offers: Offers
  readonly subscriptions: Subscriptions
  readonly dispatch: Omit<DispatchOptions, 'info'>
}

/** What the handlers of one server share. */
interface Parts {
  readonly offers: Offers
  readonly declared: Declared
  readonly sealer: Sealer
  readonly limits: ServerLimits
  readonly onEvent: OnEvent
}

const PAGE_SIZE = 1000
const NOT_CACHED: Required<CacheHint> = { ttlMs: 0, cacheScope: 'private' }

export function createFeatures(options: ServerOptions): Features {
  const { onEvent = () => {} } = options
  const limits = { ...SERVER_LIMITS, ...options.limits }
  const { store = createMemoryStore(), bus = createMemoryBus() } = options
  const sealer = createSealer(options.keys ? { keys: [...options.keys] } : {})
  const offers = createOffers((list) => subscriptions.publish({ list }))
  const declared = createDeclared(offers, options)
  const subscriptions = createSubscriptions({
    bus,
    lists: declared.lists,
    permit: createPermit(offers),
  })
  const handlers = new Map<string, Handler>([
    ...coreHandlers({ offers, declared, sealer, limits, onEvent }, options),
    ['subscriptions/listen', subscriptions.listen],
    ...extensionHandlers(options.extensions ?? {}),
  ])
  const handlerOf = (method: string): Handler | undefined => {
    const capability = METHODS.get(method)?.capability
    return capability === undefined || declared.has(capability) ? handlers.get(method) : undefined
  }
  return { offers, subscriptions, dispatch: { handlerOf, calls: { sealer, store, ...limits }, onEvent } }
}

function coreHandlers({ offers, declared, sealer, limits, onEvent }: Parts, options: ServerOptions): [string, Handler][] {
  const { tools, resources, templates, prompts } = offers
  const { instructions, pageSize = PAGE_SIZE } = options
  const hint = (result: Cacheable) => (): Required<CacheHint> => ({ ...NOT_CACHED, ...options.cache?.[result] })
  const shown = createVisible<Resource>(resources.offered)
  const lists = {
    tools: { ...createVisible<Tool>(tools.offered), keyOf: ({ name }: Tool) => name },
    prompts: { ...createVisible<Prompt>(prompts.offered), keyOf: ({ name }: Prompt) => name },
    templates: {
      ...createVisible<ResourceTemplate>(templates.offered),
      keyOf: ({ uriTemplate }: ResourceTemplate) => uriTemplate,
    },
    resources: {
      items: async (call: CallContext) => listResources(await shown.items(call), templates.offered(), call),
      keyOf: ({ uri }: Resource) => uri,
      differs: () => shown.differs() || templates.offered().some(({ definition }) => definition.visible || definition.scopes),
    },
  }
  const paged = { pageSize, sealer }
  return [
    ['server/discover', createDiscover({ capabilities: declared.capabilities, instructions, hint: hint('discover') })],
    ['tools/list', createList({ ...paged, ...lists.tools, key: 'tools', hint: hint('tools') })],
    ['tools/call', createCallTool({ tools, deadlines: createDeadlines(), toolTimeoutMs: limits.toolTimeoutMs, onEvent })],
    ['resources/list', createList({ ...paged, ...lists.resources, key: 'resources', hint: hint('resources') })],
    ['resources/templates/list', createList({ ...paged, ...lists.templates, key: 'resourceTemplates', hint: hint('templates') })],
    ['resources/read', createRead({ ...offers, maxResourceBytes: limits.maxResourceBytes, hint: hint('read') })],
    ['prompts/list', createList({ ...paged, ...lists.prompts, key: 'prompts', hint: hint('prompts') })],
    ['prompts/get', createGetPrompt(prompts)],
    ['completion/complete', createComplete(offers)],
  ]
}

function extensionHandlers(extensions: { readonly [id: string]: Extension }): [string, Handler][] {
  return Object.entries(extensions).flatMap(([id, { methods = {} }]) =>
    Object.entries(methods).map(([method, serve]): [string, Handler] => [
      method,
      (call) => serve(paramsDeclaring(id, call), call),
    ]),
  )
}

/** The params of a request that declares an extension. @throws RpcError -32021 when it does not. */
function paramsDeclaring(id: string, call: CallContext): JsonObject {
  if (!isObject(call.envelope.clientCapabilities.extensions?.[id])) throw missingClientCapability({ extensions: { [id]: {} } })
  return call.request.params ?? {}
}
