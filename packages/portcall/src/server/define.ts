import type {
  Annotations,
  CacheHint,
  CallToolResult,
  Completion,
  ContentBlock,
  GetPromptResult,
  Icon,
  Meta,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ToolAnnotations,
} from '../protocol/types.ts'
import type { Infer, InferInput, Schema } from '../schema/standard.ts'
import type { Variables } from '../schema/uri-template.ts'
import type { Call } from './call.ts'
import type { ToolExtras } from './extras.ts'

export type Awaitable<T> = T | Promise<T>

/** What tools, resources and prompts have in common. */
export interface Described {
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: Meta
  /** Decides for each caller whether the item is there at all, in lists and in calls alike. */
  visible?: (call: Call) => Awaitable<boolean>
  /** The scopes that a caller needs, all of them. Where nobody is authenticated over HTTP, nobody has any; elsewhere none are asked for. */
  scopes?: readonly string[]
  /** What callers meet who lack some: a refusal that tells which, or nothing at all. Default: `lackingScopes` of the server. */
  lackingScopes?: LackingScopes
}

/** What callers meet who lack the scopes of an item. */
export type LackingScopes = 'challenge' | 'hide'

/** A tool without its schemas and its function. */
export interface ToolSettings extends Described, ToolExtras {
  annotations?: ToolAnnotations
  /** The longest that one run may take, in milliseconds. */
  timeoutMs?: number
}

/** A tool without its function. https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface ToolDefinition<I extends Schema | undefined, O extends Schema | undefined> extends ToolSettings {
  /** Schema of the arguments; its root is an object. Without it a tool takes none. */
  input?: I
  /** Schema of the structured content. */
  output?: O
}

/** A tool whose results have structured content, without its function. */
export interface StructuredToolDefinition<I extends Schema | undefined, O extends Schema> extends ToolDefinition<I, O> {
  output: O
}

export type Arguments<I> = I extends undefined ? Record<string, never> : Infer<I>

/** A result without structured content: a string becomes a text block. */
export type Content = string | ContentBlock | ContentBlock[] | CallToolResult | undefined | void

interface StructuredResult<T> extends Omit<CallToolResult, 'structuredContent' | 'content'> {
  structuredContent: T
  content?: ContentBlock[]
}

interface ErrorResult extends CallToolResult {
  isError: true
}

/** What a tool with an `output` returns: the structured content itself, or a full result. */
export type Structured<T> = T | StructuredResult<T> | ErrorResult

/** What a tool returns: structured content when it has an `output`, else content. */
export type ToolReturn<O> = O extends Schema ? Structured<InferInput<O>> : Content

export type ToolHandler<I, O> = (args: Arguments<I>, call: Call) => Awaitable<ToolReturn<O>>

type FieldsOf<T> = T extends unknown ? keyof T : never

/**
 * `never` for each field that a handler returns and that nothing allowed has, which is a misspelt one. What a handler returns and what it
 * may return are a union in its type, so that literals stay what they are, and only this tells a field too many.
 */
export type WellSpelt<R, Value> = Record<
  Exclude<FieldsOf<R>, unknown extends Value ? PropertyKey : FieldsOf<Value> | keyof CallToolResult>,
  never
>

/** Suggestions for one argument or variable. More than 100 are cut, and the client is told that there are more. */
export type Complete = (value: string, context: CompleteContext) => Awaitable<readonly string[] | Completion>

/** What is known while a value is completed. */
export interface CompleteContext {
  /** Arguments that are already filled in. */
  readonly arguments: Readonly<Record<string, string>>
  readonly call: Call
}

/** A resource without its function. https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export interface ResourceDefinition extends Described {
  /** Programmatic name; the URI when absent. */
  name?: string
  mimeType?: string
  annotations?: Annotations
  /** Bytes. */
  size?: number
  cache?: CacheHint
  /** The most that a stream may give, in bytes. */
  maxBytes?: number
}

/** What a template adds: how to find the resources behind it. */
export interface TemplateDefinition<V extends Schema | undefined, Names extends string = string>
  extends Omit<ResourceDefinition, 'size'> {
  /** Checks and converts the variables, which come as strings. */
  variables?: V
  list?: (call: Call) => Awaitable<readonly Resource[]>
  complete?: { [name in Names]?: Complete }
}

/** Anything that bytes can be read from, piece by piece. */
export type ByteStream = AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>

/** What reading a resource may give: text, bytes, a stream of either, one or several contents, or a full result. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ByteStream
  | (Partial<Pick<ResourceContents, 'uri'>> & Omit<ResourceContents, 'uri'> & ({ text: string } | { blob: string | Uint8Array }))
  | ResourceContents[]
  | ReadResourceResult
  | undefined
  | null

export type ReadHandler<V> = (variables: V, call: Call, uri: string) => Awaitable<ResourceReturn>

export type TemplateVariables<U extends string, V> = V extends Schema ? Infer<V> : Variables<U>

/** A prompt without its function. https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */
export interface PromptDefinition<A extends Schema | undefined> extends Described {
  /** Schema of an object of strings. */
  arguments?: A
  complete?: A extends Schema ? { [name in keyof InferInput<A>]?: Complete } : never
}

/** What a prompt gives: a string or a block is one message of the user. */
export type PromptReturn = string | ContentBlock | PromptMessage | PromptMessage[] | GetPromptResult

export type PromptHandler<A> = (args: Arguments<A>, call: Call) => Awaitable<PromptReturn>
