import type { Middleware } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, Prompt, Resource, ResourceTemplate, SubscriptionFilter, Tool } from '../protocol/types.ts'
import type { List } from './lists.ts'
import type { CallOptions, RawOptions } from './options.ts'
import type { Reads } from './reads.ts'
import type { Subscription } from './subscribe.ts'

/** The tools of a server as types. */
export type ToolTypes = { [name: string]: { input: unknown; output: unknown } }

type AnyTools = { [name: string]: { input: JsonObject; output: unknown } }
type ResultOf<Output> = unknown extends Output
  ? CallToolResult
  : Omit<CallToolResult, 'structuredContent'> & { structuredContent?: Output }

/** A server as its user sees it, of whatever revision and behind whatever transport. */
export interface Client<T extends ToolTypes = AnyTools> extends Reads, AsyncDisposable {
  readonly status: Status
  tools(options?: CallOptions): List<Tool>
  resources(options?: CallOptions): List<Resource>
  templates(options?: CallOptions): List<ResourceTemplate>
  prompts(options?: CallOptions): List<Prompt>
  /**
   * Calls a tool. A tool that fails has a result with `isError`; what is thrown means that it was not called, or not heard of again.
   *
   * @throws InvalidResult when the structured content does not fit the output schema of a tool that was listed before.
   */
  callTool<Name extends keyof T & string>(
    name: Name,
    args?: T[Name]['input'],
    options?: CallOptions,
  ): Promise<ResultOf<T[Name]['output']>>
  /** Hears of changes. */
  listen(filter: SubscriptionFilter): Subscription
  /** Sends any request, of an extension for example. */
  request(method: string, params?: JsonObject, options?: RawOptions): Promise<JsonObject>
  /** Puts middleware around every request; the first is the outermost. */
  use(middleware: Middleware): Client<T>
  /** Ends everything; nothing is left. */
  close(): Promise<void>
}

/** `lost`: the next request tries to get the server back. `closed`: nothing does. */
export type Status = 'open' | 'lost' | 'closed'
