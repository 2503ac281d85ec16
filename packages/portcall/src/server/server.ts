import { assertNodeVersion } from '../../../util/src/assert-node-version.ts'
import { ignoreErrors } from '../../../util/src/ignore-errors.ts'
import type { Middleware } from '../jsonrpc/exchange.ts'
import { repeatedRecording } from '../jsonrpc/recording.ts'
import { bindLogger } from '../logging/bind-logger.ts'
import type { ExtensionApis } from '../protocol/extensions.ts'
import { METHODS } from '../protocol/methods.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { Implementation } from '../protocol/types.ts'
import type { Schema } from '../schema/standard.ts'
import { decorateBus, timeoutDecorator } from '../stores/decorate.ts'
import { createMemoryBus } from '../stores/memory/bus.ts'
import { openStore } from '../stores/open-store.ts'
import { sealerKeys } from '../stores/sealing/key-ring.ts'
import { createSealer } from '../stores/sealing/seal.ts'
import { sharedStores } from '../stores/shared-stores.ts'
import type { CallContext } from './call.ts'
import { checkDefinition, type ItemKind } from './check-definition.ts'
import { checkServerOptions, checkUse } from './check-server-options.ts'
import { checkTools } from './define-tool.ts'
import type { PromptHandler } from './definitions.ts'
import { createDispatcher, type Dispatcher } from './dispatch.ts'
import { emitError, logEvent, type OnEvent, type ServerEvent } from './events.ts'
import type { ServerExtension, ServerExtensionPoints } from './extension.ts'
import { toolAccess } from './features/access.ts'
import { createCapabilities } from './features/capabilities.ts'
import { createPrompt } from './features/prompts.ts'
import { createRegistries, type Registries } from './features/registries.ts'
import { type AnyReadHandler, createResource, createTemplate, subscribableUris } from './features/resources.ts'
import type { AnyToolDefinition, AnyToolHandler } from './features/tools.ts'
import { createHandlers } from './handlers.ts'
import { SERVER_LIMITS, type ServerOptions } from './options.ts'
import { createServerSubscriptions } from './subscriptions.ts'
import type { Server } from './types.ts'
import { createViewHost } from './view-host.ts'

const PAGE_SIZE = 1000

/**
 * Creates a server.
 *
 * @example
 * const server = createServer({ name: 'weather', version: '1.0.0' })
 * server.tool('forecast', { input: z.object({ city: z.string() }) }, ({ city }) => `Sun in ${city}`)
 */
export function createServer<const E extends readonly ServerExtension[] = []>(
  info: Implementation,
  options: ServerOptions<E> = {},
): Server & ExtensionApis<E> {
  assertNodeVersion()
  checkServerOptions(info, options)
  const { stores = sharedStores() } = options
  const { registries, dispatcher, extensionPoints, onEvent } = createParts(info, options, stores)
  const { tools, resources, templates, prompts } = registries
  const { closeListeners, subscriptions } = extensionPoints
  const { onInsufficientScope = 'challenge', extensions = [] } = options
  const hasTasks = extensions.some(({ id }) => id === TASKS_EXTENSION)
  const check = (kind: ItemKind, [name, definition, handler]: readonly unknown[]): void =>
    checkDefinition(kind, { name, definition, handler, isOpen: extensions.length > 0, hasTasks })

  const used: Middleware[] = []

  const server: Server = {
    info,
    exchange: dispatcher.exchange,
    methodOf: dispatcher.methodOf,
    tool(name: string, definition: object, handler: unknown) {
      check('tool', [name, definition, handler])
      tools.assertFree(name)
      const withDefaults = { onInsufficientScope, ...definition } as AnyToolDefinition
      tools.add(name, registries.createTool(name, withDefaults, handler as AnyToolHandler))
      return server as never
    },
    addTools(added: unknown) {
      checkTools(added)
      for (const [name, { definition, handler }] of Object.entries(added)) server.tool(name, definition, handler as never)
      return server as never
    },
    resource(uri: string, definition: object, handler: unknown) {
      check('resource', [uri, definition, handler])
      const withDefaults = { onInsufficientScope, ...definition }
      if (uri.includes('{')) templates.add(uri, createTemplate(uri, withDefaults, handler as AnyReadHandler))
      else resources.add(uri, createResource(uri, withDefaults, handler as AnyReadHandler))
      return server as never
    },
    prompt(name: string, definition: object, handler: unknown) {
      check('prompt', [name, definition, handler])
      prompts.add(name, createPrompt(name, { onInsufficientScope, ...definition }, handler as PromptHandler<Schema | undefined>))
      return server as never
    },
    tools: tools.items,
    resources: resources.items,
    resourceTemplates: templates.items,
    prompts: prompts.items,
    use(middleware, useOptions = {}) {
      checkUse(middleware, useOptions)
      const repeated = repeatedRecording(middleware, used)
      if (repeated)
        onEvent({
          type: 'warning',
          message: `server.use(${repeated}) is called twice: each request is recorded twice. Remove one`,
        })
      used.push(middleware)
      const { innermost, onClose } = useOptions
      dispatcher.use(middleware, innermost)
      if (onClose) closeListeners.push(onClose)
      return server
    },
    listChanged: (list) => subscriptions.publish({ list: `${list}ListChanged` }),
    resourceUpdated: (uri) => subscriptions.publish({ updated: uri }),
    reportError: (error) => emitError(onEvent, error, { method: 'transport' }),
    stores,
    isIdempotent: ({ method, params }) =>
      method !== 'tools/call' || tools.get(String(params?.name))?.definition.annotations?.idempotentHint === true,
    close() {
      for (const listener of closeListeners.splice(0)) listener()
      subscriptions.close()
    },
  }
  for (const extension of extensions) extension.install(server, extensionPoints)
  return server as Server & ExtensionApis<E>
}

/** The parts that a server is assembled from. */
interface ServerParts {
  readonly registries: Registries
  readonly dispatcher: Dispatcher
  readonly extensionPoints: ServerExtensionPoints
  readonly onEvent: OnEvent
}

function createParts(info: Implementation, options: ServerOptions, stores: ServerOptions['stores']): ServerParts {
  const { pageSize = PAGE_SIZE } = options
  const logs = options.logger && bindLogger(options.logger, options.onEvent)
  const onEvent = ignoreErrors<ServerEvent>(logs?.onEvent ?? options.onEvent ?? logEvent)
  const limits = { ...SERVER_LIMITS, ...options.limits }
  const store = openStore(stores?.store, limits.storeTimeoutMs)
  const bus = stores ? decorateBus(stores.bus, timeoutDecorator(limits.storeTimeoutMs)) : createMemoryBus()
  const sealer = createSealer(sealerKeys(options.sealingKeys, stores && store))
  const toolMiddleware: ServerExtensionPoints['toolMiddleware'] = []
  const listingExtenders: ServerExtensionPoints['listingExtenders'] = []
  const filterHandlers: ServerExtensionPoints['filterHandlers'] = new Map()
  const registries = createRegistries(
    (list) => subscriptions.publish({ list }),
    listingExtenders,
    () => viewHost,
  )
  const capabilities = createCapabilities(registries, options)
  const subscriptions = createServerSubscriptions({
    bus,
    announces: capabilities.announces,
    subscribableUris: (uris, call) => subscribableUris(registries, uris, call),
    filterHandlers,
    onError: (error) => void emitError(onEvent, error, { method: 'subscriptions/listen' }),
  })
  const deps = { registries, capabilities, subscriptions, sealer, limits, pageSize, toolMiddleware, onEvent }
  const handlers = createHandlers(deps, options)
  const methods = new Map(METHODS)
  const { singleUseRequestState = 'steps' } = options
  const callOptions = { sealer, store, sharedStore: stores && store, singleUseRequestState, ...limits }
  const dispatcher = createDispatcher({ info, methods, handlers, hasCapability: capabilities.has, callOptions, onEvent })
  if (logs) dispatcher.use(logs.middleware)
  const tables = { extensionIds: new Set<string>(), methods, handlers, toolMiddleware, listingExtenders, filterHandlers }
  const { dispatch } = dispatcher
  const accessOf: ServerExtensionPoints['toolAccess'] = (name, call) =>
    toolAccess(registries.tools.get(name), call as CallContext)
  const viewHost = createViewHost({ info, handlers, registries, capabilities, toolAccess: accessOf, onEvent })
  const extensionPoints = {
    ...tables,
    closeListeners: [],
    dispatch,
    toolAccess: accessOf,
    subscriptions,
    store,
    bus,
    sealer,
    pageSize,
    reportWarning: (message: string) => onEvent({ type: 'warning', message }),
  }
  return { registries, dispatcher, extensionPoints, onEvent }
}
