import type { Awaitable } from '../../../util/src/awaitable.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { ToolAudience } from '../protocol/apps.ts'
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
import type { Infer, InferInput, NoRawShape, Schema } from '../schema/standard.ts'
import type { TemplateVariables } from '../schema/uri-template/template.ts'
import type { Call } from './call.ts'
import type { ToolDefinitionExtensions } from './tool-definition-extensions.ts'
import type { TextToolView, ToolView } from './tool-view.ts'

/** The options that tools, resources and prompts have in common. */
export interface BaseDefinition {
  /** The name for display. Default: the programmatic name. */
  title?: string
  /** The purpose. Models read it to decide when to use a tool. */
  description?: string
  /** Icons for display. */
  icons?: Icon[]
  /** Metadata for clients, by key. */
  _meta?: Meta
  /** Returns whether the item exists for a caller. It is hidden from lists, and calls fail as if it were unknown. */
  visible?: (call: Call) => Awaitable<boolean>
  /**
   * The scopes that a caller must have, all of them. Over HTTP, an unauthenticated caller has none. On transports without authentication,
   * such as stdio, scopes are not checked.
   */
  scopes?: readonly string[]
  /** The answer to a caller that lacks a scope. Default: the server's `onInsufficientScope`. */
  onInsufficientScope?: InsufficientScopePolicy
}

/** `challenge` answers with an error that lists the required scopes; `hide` treats the item as unknown. */
export type InsufficientScopePolicy = 'challenge' | 'hide'

/** The definition of a tool without its schemas. */
export interface BaseToolDefinition extends BaseDefinition, ToolDefinitionExtensions {
  /** Hints about the effects of the tool, such as `readOnlyHint`. */
  annotations?: ToolAnnotations
  /** Time limit of one call, in milliseconds. Default: `toolTimeoutMs` of the server's limits. */
  timeoutMs?: number
  /**
   * Who calls the tool: the model, or the views of this server. Hosts hide tools without `model` from the model; the tool stays in the list.
   * Default: both.
   */
  visibility?: readonly ToolAudience[]
}

/** The definition of a tool. https://modelcontextprotocol.io/specification/2026-07-28/server/tools */
export interface ToolDefinition<I extends Schema | undefined, O extends Schema | undefined> extends BaseToolDefinition {
  /** Schema of the arguments, an object. Without it, the tool takes no arguments. */
  input?: I & NoRawShape<I>
  /** Schema of the structured content. */
  output?: O & NoRawShape<O>
  /** The page that shows the results of the tool: `view(…)` of `portcall/apps/server`. */
  view?: ViewOf<O>
}

/** The views that a tool may have. The view of a tool without an output schema has the option `text`. */
export type ViewOf<O> = [O] extends [undefined] ? TextToolView : ToolView

export type Arguments<I> = I extends undefined ? Record<string, never> : Infer<I>

/** The return value of a tool without an `output` schema. A string becomes a text block. */
export type Content = string | ContentBlock | ContentBlock[] | CallToolResult | undefined | void

/** Returns whether a value looks like a content block. */
export function isContentBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value.type === 'string'
}

interface StructuredResult<T> extends Omit<CallToolResult, 'structuredContent' | 'content'> {
  structuredContent: T
  content?: ContentBlock[]
}

interface ErrorResult extends CallToolResult {
  isError: true
}

/** The return value of a tool with an `output` schema: the structured content, or a complete result. */
export type Structured<T> = T | StructuredResult<T> | ErrorResult

/** The return value of a tool: structured content if it has an `output` schema, otherwise content. */
export type ToolReturn<O> = O extends Schema ? Structured<InferInput<O>> : Content

declare const literalTypes: unique symbol

/** Part of a constraint that no value satisfies. It makes TypeScript keep the literal types in returned objects. */
export type LiteralTypes = (ContentBlock | ContentBlock[] | CallToolResult) & { readonly [literalTypes]: true }

/** The fields that a returned object may have, besides those of a complete result. */
export type ReturnFields<O> = O extends Schema ? InferInput<O> : Content

export type ToolHandler<I, O> = (args: Arguments<I>, call: Call) => Awaitable<ToolReturn<O>>

type FieldsOf<T> = T extends unknown ? keyof T : never

/**
 * Maps each property of `R` that `Value` does not have to `never`, so that a misspelled property is a type error. The return type of a
 * handler is a union of `R` and the allowed types, which keeps literal types but alone would accept excess properties.
 */
export type NoExcessProperties<R, Value> = Record<
  Exclude<FieldsOf<R>, unknown extends Value | R ? PropertyKey : FieldsOf<Value> | keyof CallToolResult>,
  NeverOrError<R>
>

/** `never`, or `any` for the type of an expression with an error, so that the error is reported without a second one. */
type NeverOrError<R> = R extends unknown ? never : never

/** Returns suggestions for an argument or variable. At most 100 are sent; the client learns that there are more. */
export type Completer = (value: string, context: CompletionContext) => Awaitable<readonly string[] | Completion>

/** The context of a completion. */
export interface CompletionContext {
  /** The arguments that are already filled in. */
  readonly arguments: Readonly<Record<string, string>>
  /** The context of the request. */
  readonly call: Call
}

/** The definition of a resource. https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export interface ResourceDefinition extends BaseDefinition {
  /** Programmatic name. Default: the URI. */
  name?: string
  /** The media type of the contents. */
  mimeType?: string
  /** Hints about audience and importance. */
  annotations?: Annotations
  /** The size of the resource in bytes. */
  size?: number
  /** How long clients may cache the contents. */
  cache?: CacheHint
  /** Maximum number of bytes read from a stream. Default: `maxResourceBytes` of the server's limits. */
  maxBytes?: number
}

/** The definition of a resource template: the variables of its URIs, and how to list the resources behind it. */
export interface TemplateDefinition<V extends Schema | undefined, Names extends string = string>
  extends Omit<ResourceDefinition, 'size'> {
  /** Schema that validates and converts the variables, which are strings in the URI. */
  variables?: V & NoRawShape<V>
  /** Returns the resources of the template for `resources/list`. Default: none are listed. */
  list?: (call: Call) => Awaitable<readonly Resource[]>
  /** Suggests values for the variables, by their name. */
  complete?: { [name in Names]?: Completer }
}

export type ByteStream = AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>

/** The result of a resource handler: text, bytes (a `Blob` is read like a stream), a stream of either, contents or a complete result. Nothing means "not found". */
export type ResourceReturn =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | Blob
  | ByteStream
  | (Partial<Pick<ResourceContents, 'uri'>> &
      Omit<ResourceContents, 'uri'> &
      (
        | {
            /** The content as text. */
            text: string
          }
        | {
            /** The content as bytes, or as text in base64. */
            blob: string | ArrayBuffer | ArrayBufferView | Blob
          }
      ))
  | ResourceContents[]
  | ReadResourceResult
  | undefined
  | null

export type ReadHandler<V> = (variables: V, call: Call, uri: string) => Awaitable<ResourceReturn>

/** The variables that the handler of a template receives: strings, or what the schema converts them to. */
export type ResourceVariables<U extends string, V> = V extends Schema ? Infer<V> : TemplateVariables<U>

/** The definition of a prompt. https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */
export interface PromptDefinition<A extends Schema | undefined> extends BaseDefinition {
  /** Schema of the arguments, an object of strings. */
  arguments?: A & NoRawShape<A>
  /** Suggests values for the arguments, by their name. */
  complete?: A extends Schema ? { [name in keyof InferInput<A>]?: Completer } : never
}

/** The return value of a prompt handler. A string or a content block becomes one message with the role `user`. */
export type PromptReturn = string | ContentBlock | PromptMessage | PromptMessage[] | GetPromptResult

/** The arguments of a prompt as a client sends them: strings. */
export type PromptArguments<A> = A extends Schema ? Strings<InferInput<A>> : Record<string, never>

type Strings<T> = { [name in keyof T]: T[name] extends string | undefined ? T[name] : string }

export type PromptHandler<A> = (args: Arguments<A>, call: Call) => Awaitable<PromptReturn>
