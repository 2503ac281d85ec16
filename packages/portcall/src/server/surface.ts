import type { Exchange, Middleware } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import type { MethodOf } from '../protocol/methods.ts'
import type { Implementation } from '../protocol/types.ts'
import type { InferInput, Schema } from '../schema/standard.ts'
import type { Stores } from '../stores/stores.ts'
import type { Call } from './call.ts'
import type {
  Arguments,
  Awaitable,
  Content,
  PromptDefinition,
  PromptHandler,
  ReadHandler,
  ResourceDefinition,
  Structured,
  StructuredToolDefinition,
  TemplateDefinition,
  TemplateVariables,
  ToolDefinition,
  WellSpelt,
} from './define.ts'
import type { AnyPromptDefinition } from './prompts.ts'
import type { Items } from './registry.ts'
import type { AnyTemplateDefinition } from './resources.ts'
import type { AnyToolDefinition } from './tools.ts'

/** The tools of a server as types, for a client that is typed by it. */
export type Tools = { [name: string]: { input: unknown; output: unknown } }

type WithTool<T, Name extends string, I, O> = T & {
  [name in Name]: {
    input: I extends Schema ? InferInput<I> : Record<string, never>
    output: O extends Schema ? InferInput<O> : undefined
  }
}

/**
 * One definition of a server: what it offers, and the Exchange that serves it. It is made once; transports call `exchange` for
 * each request, of every protocol revision.
 */
export interface Server<T = unknown> {
  readonly info: Implementation
  /** Answers one request of the newest revision. */
  readonly exchange: Exchange
  /** What is known of each method that it serves, those of extensions included: transports ask. */
  readonly methodOf: MethodOf

  /** Registers a tool whose results are content. @throws SchemaError, or Error when the name is taken. */
  tool<const Name extends string, R extends Content = never, const I extends Schema | undefined = undefined>(
    name: Name,
    definition: ToolDefinition<I, undefined>,
    handler: ((args: Arguments<I>, call: Call) => Awaitable<R | Content>) & WellSpelt<R, Content>,
  ): Server<WithTool<T, Name, I, undefined>>
  /** Registers a tool whose results have structured content. */
  tool<
    const Name extends string,
    const O extends Schema,
    R extends Structured<InferInput<O>> = never,
    const I extends Schema | undefined = undefined,
  >(
    name: Name,
    definition: StructuredToolDefinition<I, O>,
    handler: ((args: Arguments<I>, call: Call) => Awaitable<R | Structured<InferInput<O>>>) & WellSpelt<R, InferInput<O>>,
  ): Server<WithTool<T, Name, I, O>>

  /** Registers a resource under a URI, or a family of them under a URI template. */
  resource<const U extends string, const V extends Schema | undefined = undefined>(
    uri: U,
    definition: U extends `${string}{${string}`
      ? TemplateDefinition<V, keyof TemplateVariables<U, undefined> & string>
      : ResourceDefinition,
    handler: ReadHandler<TemplateVariables<U, V>>,
  ): Server<T>

  /** Registers a prompt. */
  prompt<const A extends Schema | undefined = undefined>(
    name: string,
    definition: PromptDefinition<A>,
    handler: PromptHandler<A>,
  ): Server<T>

  readonly tools: Items<AnyToolDefinition>
  readonly resources: Items<ResourceDefinition>
  readonly templates: Items<AnyTemplateDefinition>
  readonly prompts: Items<AnyPromptDefinition>

  /** Puts middleware around everything that is served; the first is the outermost. */
  use(middleware: Middleware): Server<T>
  /** Tells all who listen that a list has changed where that cannot be seen here: in what a template's `list` or `visible` gives. */
  listChanged(list: 'tools' | 'resources' | 'prompts'): void
  /** Tells all who subscribed to a resource that it has changed. */
  resourceUpdated(uri: string): void
  /** Tells the operator of an error that is no caller's: transports report theirs here. */
  report(error: unknown): void
  /** Where the state of this definition rests, if not in the memory of this process; transports keep theirs there too. */
  readonly stores: Omit<Stores, 'close'> | undefined
  /** Whether a request may run twice without harm: all but calls of tools may, and tools that are annotated with `idempotentHint`. */
  mayRepeat(request: Request): boolean
  /** Ends all subscriptions with a result, and what extensions have begun. What is running goes on. */
  close(): void

  /** The tools, for `typeof server` only. */
  readonly '~tools'?: T
}

/** As much of a server as it takes to serve it: a gateway, or anything else that has an Exchange, can be served too. */
export type Serveable = Pick<Server, 'exchange' | 'report' | 'close'> & Partial<Pick<Server, 'methodOf' | 'stores' | 'mayRepeat'>>
