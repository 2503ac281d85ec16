import { createDeadlines } from '../jsonrpc/deadlines.ts'
import { METHODS, type MethodOf } from '../protocol/methods.ts'
import type { CacheHint, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/types.ts'
import { aroundBus } from '../stores/around.ts'
import { createKeyRing } from '../stores/key-ring.ts'
import { createMemoryBus } from '../stores/memory-bus.ts'
import { openStore } from '../stores/open-store.ts'
import { createSealer, type Sealer } from '../stores/seal.ts'
import { timely } from '../stores/within.ts'
import type { CallContext } from './call.ts'
import { createComplete } from './completion.ts'
import { createDiscover } from './discover.ts'
import type { DispatchOptions, Handler } from './dispatch.ts'
import { type OnEvent, reportError } from './events.ts'
import { createList, createVisible } from './lists.ts'
import { createDeclared, createOffers, type Declared, type Offers } from './offers.ts'
import { type Cacheable, SERVER_LIMITS, type ServerLimits, type ServerOptions } from './options.ts'
import { createGetPrompt } from './prompts.ts'
import { createPermit, createRead, listResources } from './resources.ts'
import type { Seams } from './seams.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createCallTool } from './tools.ts'

/** All that a server offers, ready to be served. */
export interface Features {
  readonly offers: Offers
  readonly seams: Omit<Seams, 'dispatch'>
  readonly dispatch: Omit<DispatchOptions, 'info'>
}

/** What the handlers of one server share. */
interface Parts {
  readonly offers: Offers
  readonly declared: Declared
  readonly sealer: Sealer
  readonly limits: ServerLimits
  readonly pageSize: number
  readonly around: Seams['around']
  readonly onEvent: OnEvent
}

const PAGE_SIZE = 1000
const NOT_CACHED: Required<CacheHint> = { ttlMs: 0, cacheScope: 'private' }

export function createFeatures(options: ServerOptions): Features {
  const { onEvent = () => {}, pageSize = PAGE_SIZE } = options
  const limits = { ...SERVER_LIMITS, ...options.limits }
  const { store, bus } = openStores(options.stores, limits)
  const sealer = createSealer({ keys: options.keys ? [...options.keys] : createKeyRing(store) })
  const around: Seams['around'] = []
  const filters: Seams['filters'] = new Map()
  const describing: Seams['describing'] = []
  const offers = createOffers((list) => subscriptions.publish({ list }), describing)
  const declared = createDeclared(offers, options)
  const subscriptions = createSubscriptions({
    bus,
    tells: declared.tells,
    permit: createPermit(offers),
    filters,
    onError: (error) => void reportError(onEvent, error, { method: 'subscriptions/listen' }),
  })
  const handlers = new Map<string, Handler>([
    ...coreHandlers({ offers, declared, sealer, limits, pageSize, around, onEvent }, options),
    ['subscriptions/listen', subscriptions.listen],
  ])
  const methods = new Map(METHODS)
  const methodOf: MethodOf = (method) => methods.get(method)
  const handlerOf = (method: string): Handler | undefined => {
    const capability = methodOf(method)?.capability
    return capability === undefined || declared.has(capability) ? handlers.get(method) : undefined
  }
  const tables = { ids: new Set<string>(), methods, handlers, around, describing, filters, closing: [] }
  return {
    offers,
    seams: { ...tables, subscriptions, store, bus, sealer, pageSize },
    dispatch: { handlerOf, methodOf, calls: { sealer, store, ...limits }, onEvent },
  }
}

/** The memory of this process, or stores elsewhere, which nobody waits for without end. */
function openStores(stores: ServerOptions['stores'], { storeTimeoutMs }: ServerLimits): Pick<Seams, 'store' | 'bus'> {
  const store = openStore(stores?.store, storeTimeoutMs)
  return { store, bus: stores ? aroundBus(stores.bus, timely(storeTimeoutMs)) : createMemoryBus() }
}

function coreHandlers(parts: Parts, options: ServerOptions): [string, Handler][] {
  const { offers, declared, sealer, limits, pageSize, around, onEvent } = parts
  const { tools, resources, templates, prompts } = offers
  const { instructions } = options
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
    [
      'tools/call',
      createCallTool({
        tools,
        deadlines: createDeadlines({ hold: false }),
        toolTimeoutMs: limits.toolTimeoutMs,
        around,
        onEvent,
      }),
    ],
    ['resources/list', createList({ ...paged, ...lists.resources, key: 'resources', hint: hint('resources') })],
    ['resources/templates/list', createList({ ...paged, ...lists.templates, key: 'resourceTemplates', hint: hint('templates') })],
    ['resources/read', createRead({ ...offers, maxResourceBytes: limits.maxResourceBytes, hint: hint('read') })],
    ['prompts/list', createList({ ...paged, ...lists.prompts, key: 'prompts', hint: hint('prompts') })],
    ['prompts/get', createGetPrompt(prompts)],
    ['completion/complete', createComplete(offers)],
  ]
}
