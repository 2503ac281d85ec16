import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { JsonObject, Request, Response } from '../jsonrpc/message.ts'
import type { ExtensionHead } from '../protocol/extensions.ts'
import type { Method } from '../protocol/methods.ts'
import type { CacheHint, ServerCapabilities } from '../protocol/types.ts'
import type { Infer, InferInput, Schema } from '../schema/standard.ts'
import type { Bus } from '../stores/bus.ts'
import type { Store } from '../stores/store.ts'
import type { AroundTool, DescribeTool } from './around.ts'
import type { Call } from './call.ts'
import type { Awaitable } from './define.ts'
import type { CallState, Keeper } from './keeper.ts'
import type { ExtensionNotice } from './notice.ts'
import type { Page } from './paging.ts'
import type { Seams } from './seams.ts'
import type { Server } from './surface.ts'

/** A part of the protocol that a server speaks beyond the core; `extension` makes one. https://modelcontextprotocol.io/extensions */
export interface ServerExtension<Name extends string = string, Api = unknown> extends ExtensionHead {
  readonly name?: Name
  readonly requires?: readonly Declarable[]
  /** Lets it into a server that is being made. @throws TypeError when they cannot live together. */
  join(server: Server, seams: Seams): Api
}

/** An extension as its author writes it. */
export interface ServerGuest<Name extends string, Api> extends ExtensionHead {
  /** What its member of the server is called: `server[name]`. */
  readonly name?: Name
  /** Capabilities of the core that are declared with it, whatever is registered. */
  readonly requires?: readonly Declarable[]
  /** Called once for each server, when that is made: registers what is served, and gives the member of the server. */
  serve(host: ExtensionHost): Api
}

/** Capabilities that can be declared although nothing of theirs is registered yet. */
export type Declarable = Extract<keyof ServerCapabilities, 'tools' | 'resources' | 'prompts' | 'completions'>

/** What a server gives to an extension. */
export interface ExtensionHost {
  readonly server: Server
  /** Where state rests; keys begin with the extension's id. */
  readonly store: Store
  readonly bus: Bus

  /** Serves a method. @throws TypeError when it is taken. */
  method<P extends Schema | undefined = undefined, R extends Schema | undefined = undefined>(
    name: string,
    definition: ExtensionMethod<P, R>,
    handler: (
      params: P extends Schema ? Infer<P> : JsonObject,
      call: Call,
    ) => Awaitable<R extends Schema ? InferInput<R> : object>,
  ): void
  /** Wraps each call of a tool, once it is found, permitted and its arguments are valid. The first is the outermost. */
  aroundTool(around: AroundTool): void
  /** Adds members to what lists say of each tool, by its definition. */
  describeTool(describe: DescribeTool): void
  /**
   * Takes a key of the filter of `subscriptions/listen`, from callers who declare the extension. `admit` gives what of it is honoured: true, or
   * the subjects of interest; else nothing.
   */
  listen(key: string, admit: (asked: unknown, call: Call) => Awaitable<true | readonly string[] | undefined>): void
  /** Tells all who listen, on all nodes that share the bus. */
  publish(told: ExtensionNotice): void

  /** What a caller declares of this extension; nothing when it does not. */
  declaredBy(call: Call): JsonObject | undefined
  /** The same. @throws RpcError -32021 when it does not. */
  demand(call: Call): JsonObject
  /** Cuts the page out of a list that a request's cursor asks for. `keyOf` names an item. @throws RpcError -32602 for a bad cursor. */
  page<T>(items: readonly T[], call: Call, keyOf: (item: T) => string): Promise<Page<T>>
  /**
   * Serves a request as the server would, below middleware and past all that is around tools: later, again, in another process. What it asks
   * and does rests with `keeper` and not with the caller.
   */
  run(request: Request, context: ExchangeContext, keeper: Keeper): Promise<Response>
  /** What a call remembers by now: the answers that it got, and the results of its steps. For a `keeper` that goes on with it. */
  stateOf(call: Call): Promise<CallState>
  /** Calls back when the server is closed. */
  onClose(listener: () => void): void
  /** Tells the operator of an error that is no caller's. */
  report(error: unknown): void
}

/** What is said of a method of an extension. */
export interface ExtensionMethod<P extends Schema | undefined = undefined, R extends Schema | undefined = undefined>
  extends Pick<Method, 'nameParam' | 'mayAsk' | 'longLived'> {
  /** Schema of the params, which are -32602 when they do not fit. */
  readonly params?: P
  /** Schema of the result. */
  readonly result?: R
  /** Whether callers are served who do not declare the extension. Default: they get -32021. */
  readonly open?: boolean
  /** Its results carry this hint for caches, unless they have their own. */
  readonly cache?: CacheHint
}
