import { createCoarseTimers } from '../../../util/src/coarse-timers.ts'
import type { CacheHint, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/types.ts'
import type { Sealer } from '../stores/sealing/seal.ts'
import type { CallContext } from './call.ts'
import type { Handler } from './dispatch.ts'
import type { OnEvent } from './events.ts'
import type { ToolMiddleware } from './extension.ts'
import { createCallTool } from './features/call-tool.ts'
import { type Capabilities, createDiscover } from './features/capabilities.ts'
import { createComplete } from './features/completion.ts'
import { createListHandler, createVisibleItems, type ListHandlerOptions } from './features/lists.ts'
import { createGetPrompt } from './features/prompts.ts'
import type { Registries } from './features/registries.ts'
import { createReadResource, listResources } from './features/resources.ts'
import type { Cacheable, ServerLimits, ServerOptions } from './options.ts'
import type { ServerSubscriptions } from './subscriptions.ts'

/** The parts of a server that its handlers use. */
export interface HandlerDeps {
  readonly registries: Registries
  readonly capabilities: Capabilities
  readonly subscriptions: ServerSubscriptions
  readonly sealer: Sealer
  readonly limits: ServerLimits
  readonly pageSize: number
  readonly toolMiddleware: readonly ToolMiddleware[]
  readonly onEvent: OnEvent
}

const NOT_CACHEABLE: Required<CacheHint> = { ttlMs: 0, cacheScope: 'private' }

/** Creates the handlers of the core methods. */
export function createHandlers(deps: HandlerDeps, options: ServerOptions): Map<string, Handler> {
  const { registries, capabilities, subscriptions, limits, onEvent } = deps
  const { tools, prompts } = registries
  const { toolTimeoutMs, maxResourceBytes } = limits
  const timers = createCoarseTimers({ keepAlive: false })
  const cacheHint = (result: Cacheable) => (): Required<CacheHint> => ({ ...NOT_CACHEABLE, ...options.cache?.[result] })
  return new Map<string, Handler>([
    ['server/discover', createDiscover({ capabilities, instructions: options.instructions, cacheHint: cacheHint('discover') })],
    ...createListHandlers(deps, cacheHint),
    ['tools/call', createCallTool({ tools, timers, toolTimeoutMs, middleware: deps.toolMiddleware, onEvent })],
    ['resources/read', createReadResource({ ...registries, maxResourceBytes, cacheHint: cacheHint('read') })],
    ['prompts/get', createGetPrompt(prompts)],
    ['completion/complete', createComplete(registries)],
    ['subscriptions/listen', subscriptions.listen],
  ])
}

function createListHandlers(
  { registries, pageSize, sealer }: HandlerDeps,
  cacheHint: (result: Cacheable) => () => CacheHint,
): [string, Handler][] {
  const { tools, resources, templates, prompts } = registries
  const listOf = <L>(result: Cacheable, items: Omit<ListHandlerOptions<L>, 'cacheHint' | 'pageSize' | 'sealer'>): Handler =>
    createListHandler<L>({ ...items, pageSize, sealer, cacheHint: cacheHint(result) })
  const fixedResources = createVisibleItems<Resource>(resources.entries)
  const allResources = {
    items: async (call: CallContext) => listResources(await fixedResources.items(call), templates.entries(), call),
    variesByCaller: () => fixedResources.variesByCaller() || templates.entries().some(({ isRestricted }) => isRestricted),
  }
  const nameOf = ({ name }: Tool | Prompt): string => name
  return [
    ['tools/list', listOf<Tool>('tools', { ...createVisibleItems(tools.entries), key: 'tools', keyOf: nameOf })],
    ['resources/list', listOf<Resource>('resources', { ...allResources, key: 'resources', keyOf: ({ uri }) => uri })],
    [
      'resources/templates/list',
      listOf<ResourceTemplate>('templates', {
        ...createVisibleItems(templates.entries),
        key: 'resourceTemplates',
        keyOf: ({ uriTemplate }) => uriTemplate,
      }),
    ],
    ['prompts/list', listOf<Prompt>('prompts', { ...createVisibleItems(prompts.entries), key: 'prompts', keyOf: nameOf })],
  ]
}
