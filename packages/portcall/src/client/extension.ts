import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import type { ExtensionInfo } from '../protocol/extensions.ts'
import type { InputRequestHandler } from '../protocol/input-types.ts'
import { METHODS, type MethodInfo } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import type { List, ListDefinition } from './lists.ts'
import type { CallOptions, ClientEvent, RequestOptions } from './options.ts'
import type { ResultResolver, ResultResolvers } from './requester.ts'
import type { Subscription } from './subscriptions.ts'
import type { Client } from './types.ts'

/** A protocol extension of a client; `defineClientExtension` creates one. https://modelcontextprotocol.io/extensions */
export interface ClientExtension<Name extends string = string, Api = unknown> extends ExtensionInfo {
  /** Name of the client's member that holds the API: `client[name]`. */
  readonly name?: Name
  /** Installs the extension while a client is being created. @throws TypeError when it conflicts with another extension. */
  install(client: Client, points: ClientExtensionPoints): Api
}

/** The definition that an author passes to `defineClientExtension`. Every request declares the extension. */
export interface ClientExtensionDefinition<Name extends string, Api> extends ExtensionInfo {
  /** Name of the client's member that holds the API: `client[name]`. */
  readonly name?: Name
  /** Called once for each client, before it sends anything. Registers methods and result types, and returns the API. */
  setup(context: ClientExtensionContext): Api
}

/** The services of a client for an extension. */
export interface ClientExtensionContext {
  /** The client that the extension is installed in. */
  readonly client: Client
  /** Registers a method, so that transports and the cache know how to treat it. @throws TypeError when the name is taken. */
  method(name: string, method: ClientMethod): void
  /** Registers the resolver of results with another `resultType`. Without one, such a result is an `InvalidResultError`. */
  handleResultType(method: string, resultType: string, resolver: ResultResolver): void
  /** Sends a request. Cacheable results may come from the cache. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>
  /** Returns a list that fetches its pages on demand. */
  list<T>(definition: ListDefinition<T>, options?: CallOptions): List<T>
  /** Returns the settings with which the server declares this extension, or `undefined` if it does not declare it. */
  serverCapability(): Promise<JsonObject | undefined>
  /** Returns the settings with which the server declares this extension. @throws ExtensionUnsupportedError when it does not declare it. */
  requireCapability(): Promise<JsonObject>
  /**
   * Subscribes, and resubscribes after a disconnect. `onNotification` receives the notifications that the core does not handle, plus each
   * acknowledgement. Every acknowledgement after the first means that changes may have been missed.
   */
  subscribe(filter: SubscriptionFilter, onNotification: (notification: Notification) => void): Subscription
  /** Passes an input request to the client's input handlers. Deadlines are paused meanwhile. */
  readonly handleInputRequest: InputRequestHandler
  /** Calls the listener when the client is closed. */
  onClose(listener: () => void): void
  /** Emits a `warning` event. */
  warn(message: string): void
}

/** The properties of an extension's method. Cached results of one with a `capability` are dropped when the server announces changes of its lists. */
export type ClientMethod = Pick<MethodInfo, 'capability' | 'nameParam' | 'cacheable' | 'longLived'>

/** The tables that extensions fill. */
export interface ClientExtensionTables {
  readonly extensionIds: Set<string>
  readonly methods: Map<string, MethodInfo>
  readonly resolvers: ResultResolvers
  /** Called when the client closes. */
  readonly closeListeners: (() => void)[]
}

/** Where extensions plug into a client: the tables they fill and the functions they share with it. */
export interface ClientExtensionPoints extends ClientExtensionTables {
  readonly handleInputRequest: InputRequestHandler
  readonly onEvent: (event: ClientEvent) => void
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>
  list<T>(definition: ListDefinition<T>, options?: CallOptions): List<T>
  subscribe(filter: SubscriptionFilter, onNotification: (notification: Notification) => void): Subscription
}

export function createExtensionTables(): ClientExtensionTables {
  return { extensionIds: new Set(), methods: new Map(METHODS), resolvers: new Map(), closeListeners: [] }
}
