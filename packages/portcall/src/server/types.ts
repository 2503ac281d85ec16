import type { Awaitable } from '../../../util/src/awaitable.ts'
import type { Exchange, Middleware } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import type { MethodLookup } from '../protocol/methods.ts'
import type { Implementation } from '../protocol/types.ts'
import type { Schema } from '../schema/standard.ts'
import type { Stores } from '../stores/stores.ts'
import type { Call } from './call.ts'
import type { DefinedTools, ToolType, TypesOfTools } from './define-tool.ts'
import type {
  Arguments,
  LiteralTypes,
  NoExcessProperties,
  PromptArguments,
  PromptDefinition,
  PromptHandler,
  ReadHandler,
  ResourceDefinition,
  ResourceVariables,
  ReturnFields,
  TemplateDefinition,
  ToolDefinition,
  ToolReturn,
} from './definitions.ts'
import type { AnyPromptDefinition } from './features/prompts.ts'
import type { ItemCollection } from './features/registry.ts'
import type { AnyTemplateDefinition } from './features/resources.ts'
import type { AnyToolDefinition } from './features/tools.ts'

type WithTool<T, Name extends string, I, O> = T & { [name in Name]: ToolType<I, O> }

/** Options of `server.use`. */
export interface UseOptions {
  /** Runs the middleware inside all other, also inside of what is added later. Default: false. */
  readonly innermost?: boolean
  /** Called when the server is closed. */
  readonly onClose?: () => void
}

/**
 * The definition of a server: its tools, resources and prompts, and the Exchange that answers requests. Create it once; transports call
 * `exchange` for every request of every client.
 */
export interface Server<T = unknown, Prompts = unknown, Uris = unknown> {
  /** The name and version of the server. */
  readonly info: Implementation
  /** Answers one request of the newest protocol revision. */
  readonly exchange: Exchange
  /** Returns the properties of a method, including the methods of extensions, or `undefined` for an unknown method. */
  readonly methodOf: MethodLookup

  /**
   * Registers a tool. It returns structured content if it has an `output` schema, otherwise content: a string, or blocks.
   *
   * @throws SchemaError when a schema is invalid; TypeError for a definition or handler of the wrong shape; Error when the name is taken.
   */
  tool<
    const Name extends string,
    const I extends Schema | undefined = undefined,
    const O extends Schema | undefined = undefined,
    R extends ToolReturn<O> = never,
  >(
    name: Name,
    definition: ToolDefinition<I, O>,
    handler: ((args: Arguments<I>, call: Call) => Awaitable<R | ToolReturn<O> | LiteralTypes>) &
      NoExcessProperties<R, ReturnFields<O>>,
  ): Server<WithTool<T, Name, I, O>, Prompts, Uris>

  /** Registers tools that `defineTool` returned, by their names. @throws Error when a name is taken. */
  addTools<D extends DefinedTools>(tools: D): Server<T & TypesOfTools<D>, Prompts, Uris>

  /** Registers a resource by its URI, or a family of resources by a URI template. @throws Error when the URI is invalid or taken. */
  resource<const U extends string, const V extends Schema | undefined = undefined>(
    uri: U,
    definition: U extends `${string}{${string}`
      ? TemplateDefinition<V, keyof ResourceVariables<U, undefined> & string>
      : ResourceDefinition,
    handler: ReadHandler<ResourceVariables<U, V>>,
  ): Server<T, Prompts, Uris & { [uri in U]: unknown }>

  /** Registers a prompt. @throws SchemaError when the schema is invalid; Error when the name is taken. */
  prompt<const Name extends string, const A extends Schema | undefined = undefined>(
    name: Name,
    definition: PromptDefinition<A>,
    handler: PromptHandler<A>,
  ): Server<T, Prompts & { [name in Name]: PromptArguments<A> }, Uris>

  /** The registered tools: list, change, disable or remove them. */
  readonly tools: ItemCollection<AnyToolDefinition>
  /** The registered resources, by URI: list, change, disable or remove them. */
  readonly resources: ItemCollection<ResourceDefinition>
  /** The registered resource templates, by URI template: list, change, disable or remove them. */
  readonly resourceTemplates: ItemCollection<AnyTemplateDefinition>
  /** The registered prompts: list, change, disable or remove them. */
  readonly prompts: ItemCollection<AnyPromptDefinition>

  /** Adds middleware to all requests. The first middleware is the outermost. */
  use(middleware: Middleware, options?: UseOptions): Server<T, Prompts, Uris>
  /** Notifies subscribers of a change that the server cannot detect: of what a template's `list`, or `visible`, returns. */
  listChanged(list: 'tools' | 'resources' | 'prompts'): void
  /** Notifies the subscribers of a resource that it has changed. */
  resourceUpdated(uri: string): void
  /** Emits an `error` event and returns its reference. Transports report their errors here. */
  reportError(error: unknown): unknown
  /** The `stores` option. Transports store their sessions there, too. */
  readonly stores: Omit<Stores, 'close'> | undefined
  /** Returns whether a request may be executed twice: any request but a tool call, and calls of tools annotated with `idempotentHint`. */
  isIdempotent(request: Request): boolean
  /** Ends all subscriptions with a result and notifies extensions. Calls that are running continue. */
  close(): void

  /** Carries the types of the tools. It does not exist at run time. */
  readonly '~tools'?: T
  /** Carries the types of the prompts. It does not exist at run time. */
  readonly '~prompts'?: Prompts
  /** Carries the URIs and URI templates of the resources. It does not exist at run time. */
  readonly '~resources'?: Uris
}

/** The part of a server that transports need. Any object with an Exchange can be served, such as a gateway. */
export type ServerLike = Pick<Server, 'exchange' | 'reportError' | 'close'> &
  Partial<Pick<Server, 'info' | 'methodOf' | 'stores' | 'isIdempotent'>> & {
    /** Parses the JSON of an HTTP request; throws an RpcError to refuse it. Default: `JSON.parse`. */
    readonly parseJson?: (text: string) => unknown
  }
