import type { Awaitable } from '../../../util/src/awaitable.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { JsonObject, Request, Response } from '../jsonrpc/message.ts'
import type { ExtensionInfo } from '../protocol/extensions.ts'
import type { MethodInfo } from '../protocol/methods.ts'
import type { CacheHint, ServerCapabilities } from '../protocol/types.ts'
import type { Infer, InferInput, Schema } from '../schema/standard.ts'
import type { Bus } from '../stores/bus.ts'
import type { Sealer } from '../stores/sealing/seal.ts'
import type { KeyValueStore } from '../stores/store.ts'
import type { Call } from './call.ts'
import type { ToolDefinition } from './definitions.ts'
import type { Dispatcher, Handler } from './dispatch.ts'
import type { Page } from './features/paging.ts'
import type { RequestState, RequestStateStore } from './input-requests/request-state.ts'
import type { ExtensionNotification, FilterHandler, ServerSubscriptions } from './subscriptions.ts'
import type { ToolAccess } from './tool-access.ts'
import type { Server } from './types.ts'

/** A protocol extension of a server; `defineServerExtension` creates one. https://modelcontextprotocol.io/extensions */
export interface ServerExtension<Name extends string = string, Api = unknown> extends ExtensionInfo {
  /** Name of the server's member that holds the API: `server[name]`. */
  readonly name?: Name
  /** Core capabilities that the server declares with the extension. */
  readonly capabilities?: readonly DeclarableCapability[]
  /** Capabilities that the server declares beside those of the protocol, with their settings. */
  readonly otherCapabilities?: JsonObject
  /** Installs the extension while a server is being created. @throws TypeError when it conflicts with another extension. */
  install(server: Server, points: ServerExtensionPoints): Api
}

/** The definition that an author passes to `defineServerExtension`. */
export interface ServerExtensionDefinition<Name extends string, Api> extends ExtensionInfo {
  /** Name of the server's member that holds the API: `server[name]`. */
  readonly name?: Name
  /** Core capabilities that the server declares with the extension, whether or not anything of their kind is registered. */
  readonly capabilities?: readonly DeclarableCapability[]
  /** Capabilities that the server declares beside those of the protocol, with their settings. */
  readonly otherCapabilities?: JsonObject
  /** Called once for each server, while it is being created. Registers methods and hooks, and returns the API. */
  setup(context: ServerExtensionContext): Api
}

/** Capabilities that a server can declare before anything of their kind is registered. */
export type DeclarableCapability = Extract<keyof ServerCapabilities, 'tools' | 'resources' | 'prompts' | 'completions'>

/** The services of a server for an extension. */
export interface ServerExtensionContext {
  /** The server that the extension is installed in. */
  readonly server: Server
  /** The server's store. Prefix your keys with the extension's id. */
  readonly store: KeyValueStore
  /** Sends messages between the processes of one service. */
  readonly bus: Bus
  /** Seals values with the server's `sealingKeys`. */
  readonly sealer: Sealer

  /** Registers the handler of a method. @throws TypeError when the method is taken. */
  method<P extends Schema | undefined = undefined, R extends Schema | undefined = undefined>(
    name: string,
    definition: ExtensionMethod<P, R>,
    handler: (
      params: P extends Schema ? Infer<P> : JsonObject,
      call: Call,
    ) => Awaitable<R extends Schema ? InferInput<R> : object>,
  ): void
  /** Adds middleware to tool calls. It runs after access and arguments are checked. The first middleware is the outermost. */
  useToolMiddleware(middleware: ToolMiddleware): void
  /**
   * Returns what a caller may do with a tool now. For what is kept of earlier calls: whoever may not call a tool may not see the results of its
   * calls either.
   */
  toolAccess(name: string, call: Call): Promise<ToolAccess>
  /** Adds members to the entries of tools registered from now on in `tools/list`. */
  extendToolListing(extender: ToolListingExtender): void
  /**
   * Handles a key of the filter of `subscriptions/listen`, for callers that declare the extension. The handler returns the part of the
   * requested value that the server accepts: `true` for all, a list of subjects, or `undefined` for nothing. With `open`, also for callers that
   * do not declare the extension.
   *
   * @throws TypeError when the key is taken.
   */
  handleSubscriptionFilter(key: string, handler: FilterHandler, options?: { readonly open?: boolean }): void
  /** Sends a notification to the subscribers of all processes that share the bus. */
  publish(notification: ExtensionNotification): void

  /** Returns the settings with which the caller declares this extension, or `undefined` if it does not declare it. */
  capabilityOf(call: Call): JsonObject | undefined
  /** Returns the settings with which the caller declares this extension. @throws RpcError -32021 when it does not declare it. */
  requireCapability(call: Call): JsonObject
  /**
   * Returns the page of a list that the call's `cursor` selects. `keyOf` returns an item's unique name.
   *
   * @throws RpcError -32602 when the cursor is invalid.
   */
  paginate<T>(items: readonly T[], call: Call, keyOf: (item: T) => string): Promise<Page<T>>
  /**
   * Answers a request without middleware and without tool middleware, possibly later or in another process. Its request state is saved in
   * `stateStore` instead of being sent to the client.
   */
  dispatch(request: Request, context: ExchangeContext, stateStore: RequestStateStore): Promise<Response>
  /** Returns the request state of a call: the input responses received and step results recorded so far. */
  requestStateOf(call: Call): Promise<RequestState>
  /**
   * Reports that a call has an effect although its handler has not run, so that `idempotency` keeps the outcome. The start of a handler is
   * reported without this.
   */
  reportStart(call: Call): void
  /** Calls the listener when the server is closed. */
  onClose(listener: () => void): void
  /** Emits an `error` event. */
  reportError(error: unknown): void
  /** Emits a `warning` event. The message says what is wrong and what to change. */
  reportWarning(message: string): void
}

/** The properties of an extension's method. */
export interface ExtensionMethod<P extends Schema | undefined = undefined, R extends Schema | undefined = undefined>
  extends Pick<MethodInfo, 'nameParam' | 'mayRequireInput' | 'longLived'> {
  /** Schema of the params. Invalid params are answered with -32602. */
  readonly params?: P
  /** Schema of the result. */
  readonly result?: R
  /** True if callers that do not declare the extension may use the method. By default they get -32021. */
  readonly open?: boolean
  /** The cache hint of results that have none. */
  readonly cache?: CacheHint
}

/** The tool of a call. */
export interface ToolInfo {
  /** The name of the tool. */
  readonly name: string
  /** The definition that the tool was registered with. */
  readonly definition: ToolDefinition<Schema | undefined, Schema | undefined>
}

/** Wraps a tool call. `next` runs the tool. The result may have a `resultType` that the extension defines. */
export type ToolMiddleware = (call: Call, tool: ToolInfo, next: () => Promise<object>) => Awaitable<object>

/** Returns additional members of a tool's entry in `tools/list`. */
export type ToolListingExtender = (definition: ToolInfo['definition']) => object

/** Where extensions plug into a server: the tables they fill and the functions they share with it. */
export interface ServerExtensionPoints {
  readonly extensionIds: Set<string>
  readonly methods: Map<string, MethodInfo>
  readonly handlers: Map<string, Handler>
  /** The first middleware is the outermost. */
  readonly toolMiddleware: ToolMiddleware[]
  readonly listingExtenders: ToolListingExtender[]
  /** By key of the subscription filter. */
  readonly filterHandlers: Map<string, FilterHandler>
  /** Called when the server closes. */
  readonly closeListeners: (() => void)[]

  readonly dispatch: Dispatcher['dispatch']
  readonly toolAccess: ServerExtensionContext['toolAccess']
  readonly subscriptions: ServerSubscriptions
  readonly store: KeyValueStore
  readonly bus: Bus
  readonly sealer: Sealer
  readonly pageSize: number
  readonly reportWarning: ServerExtensionContext['reportWarning']
}
