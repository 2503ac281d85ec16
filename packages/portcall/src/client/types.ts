import type { Exchange, Middleware } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, Prompt, Resource, ResourceTemplate, SubscriptionFilter, Tool } from '../protocol/types.ts'
import type { List } from './lists.ts'
import type { CallOptions, RequestOptions } from './options.ts'
import type { AnyPrompts, ClientQueries, PromptTypes } from './queries.ts'
import type { Subscription } from './subscriptions.ts'

/** The types of a server's tools. */
export type ToolTypes = {
  [name: string]: {
    /** The type of the arguments. */
    input: unknown
    /** The type of `structuredContent`, or `unknown` without an output schema. */
    output: unknown
  }
}

/** The types of tools that are not known: objects as arguments, any result. */
export type AnyTools = {
  [name: string]: {
    /** The arguments. */
    input: JsonObject
    /** The structured content. */
    output: unknown
  }
}
type ResultOf<Output> = unknown extends Output
  ? CallToolResult
  : Omit<CallToolResult, 'structuredContent'> & { structuredContent?: Output }

/** A connection to an MCP server, whatever its protocol version and transport. */
export interface Client<T extends ToolTypes = AnyTools, P extends PromptTypes = AnyPrompts, R extends string = string>
  extends ClientQueries<P, R>,
    AsyncDisposable {
  /** The status of the connection. */
  readonly status: ConnectionStatus
  /** The protocol version that the client and the server use. */
  readonly protocolVersion: string
  /** Lists the tools of the server. Pages are fetched while you iterate. */
  tools(options?: CallOptions): List<Tool>
  /** Lists the resources of the server. Pages are fetched while you iterate. */
  resources(options?: CallOptions): List<Resource>
  /** Lists the resource templates of the server. Pages are fetched while you iterate. */
  resourceTemplates(options?: CallOptions): List<ResourceTemplate>
  /** Lists the prompts of the server. Pages are fetched while you iterate. */
  prompts(options?: CallOptions): List<Prompt>
  /**
   * Calls a tool. A tool that fails returns a result with `isError`. An exception means that the server did not call the tool, or that the
   * result was lost.
   *
   * @throws InvalidResultError when the structured content does not have the shape that the output schema of a tool that was listed before
   * describes. See the option `outputValidation`.
   */
  callTool<Name extends keyof T & string>(
    name: Name,
    args?: T[Name]['input'],
    options?: CallOptions,
  ): Promise<ResultOf<T[Name]['output']>>
  /** Subscribes to changes. */
  listen(filter: SubscriptionFilter): Subscription
  /** Sends any request, such as one of an extension. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>
  /**
   * Sends one request of the newest protocol revision as it is, without the timeouts, the cache and the input handlers of the client. A
   * client is therefore a server that can be mounted, or used by a gateway. Requests of servers of the legacy era are answered by its handlers.
   */
  readonly exchange: Exchange
  /** Adds middleware for every request. The middleware added first is the outermost. */
  use(middleware: Middleware): Client<T, P, R>
  /** Closes the client and releases all resources. */
  close(): Promise<void>
}

/** `disconnected`: the next request reconnects. `closed`: the client cannot be used any more. */
export type ConnectionStatus = 'connected' | 'disconnected' | 'closed'
