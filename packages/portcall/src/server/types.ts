import type { Exchange, Middleware } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import type { MethodLookup } from '../protocol/methods.ts'
import type { Implementation } from '../protocol/types.ts'
import type { InferInput, Schema } from '../schema/standard.ts'
import type { Stores } from '../stores/stores.ts'
import type { Call } from './call.ts'
import type {
  Arguments,
  Awaitable,
  Content,
  NoExcessProperties,
  PromptDefinition,
  PromptHandler,
  ReadHandler,
  ResourceDefinition,
  ResourceVariables,
  Structured,
  StructuredToolDefinition,
  TemplateDefinition,
  ToolDefinition,
} from './definitions.ts'
import type { AnyPromptDefinition } from './features/prompts.ts'
import type { ItemCollection } from './features/registry.ts'
import type { AnyTemplateDefinition } from './features/resources.ts'
import type { AnyToolDefinition } from './features/tools.ts'

type WithTool<T, Name extends string, I, O> = T & {
  [name in Name]: {
    input: I extends Schema ? InferInput<I> : Record<string, never>
    output: O extends Schema ? InferInput<O> : undefined
  }
}

/**
 * The definition of a server: its tools, resources and prompts, and the Exchange that answers requests. Create it once; transports call
 * `exchange` for every request of every client.
 */
export interface Server<T = unknown> {
  /** The name and version of the server. */
  readonly info: Implementation
  /** Answers one request of the newest protocol revision. */
  readonly exchange: Exchange
  /** Returns the properties of a method, including the methods of extensions, or `undefined` for an unknown method. */
  readonly methodOf: MethodLookup

  /** Registers a tool that returns content. @throws SchemaError when a schema is invalid; Error when the name is taken. */
  tool<const Name extends string, R extends Content = never, const I extends Schema | undefined = undefined>(
    name: Name,
    definition: ToolDefinition<I, undefined>,
    handler: ((args: Arguments<I>, call: Call) => Awaitable<R | Content>) & NoExcessProperties<R, Content>,
  ): Server<WithTool<T, Name, I, undefined>>
  /** Registers a tool that returns structured content. @throws SchemaError when a schema is invalid; Error when the name is taken. */
  tool<
    const Name extends string,
    const O extends Schema,
    R extends Structured<InferInput<O>> = never,
    const I extends Schema | undefined = undefined,
  >(
    name: Name,
    definition: StructuredToolDefinition<I, O>,
    handler: ((args: Arguments<I>, call: Call) => Awaitable<R | Structured<InferInput<O>>>) &
      NoExcessProperties<R, InferInput<O>>,
  ): Server<WithTool<T, Name, I, O>>

  /** Registers a resource by its URI, or a family of resources by a URI template. @throws Error when the URI is invalid or taken. */
  resource<const U extends string, const V extends Schema | undefined = undefined>(
    uri: U,
    definition: U extends `${string}{${string}`
      ? TemplateDefinition<V, keyof ResourceVariables<U, undefined> & string>
      : ResourceDefinition,
    handler: ReadHandler<ResourceVariables<U, V>>,
  ): Server<T>

  /** Registers a prompt. @throws SchemaError when the schema is invalid; Error when the name is taken. */
  prompt<const A extends Schema | undefined = undefined>(
    name: string,
    definition: PromptDefinition<A>,
    handler: PromptHandler<A>,
  ): Server<T>

  /** The registered tools: list, change, disable or remove them. */
  readonly tools: ItemCollection<AnyToolDefinition>
  /** The registered resources, by URI: list, change, disable or remove them. */
  readonly resources: ItemCollection<ResourceDefinition>
  /** The registered resource templates, by URI template: list, change, disable or remove them. */
  readonly resourceTemplates: ItemCollection<AnyTemplateDefinition>
  /** The registered prompts: list, change, disable or remove them. */
  readonly prompts: ItemCollection<AnyPromptDefinition>

  /** Adds middleware to all requests. The first middleware is the outermost. */
  use(middleware: Middleware): Server<T>
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
}

/** The part of a server that transports need. Any object with an Exchange can be served, such as a gateway. */
export type ServerLike = Pick<Server, 'exchange' | 'reportError' | 'close'> &
  Partial<Pick<Server, 'methodOf' | 'stores' | 'isIdempotent'>>
