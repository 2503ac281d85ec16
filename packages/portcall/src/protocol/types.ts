/**
 * The shapes of the newest revision, as an author meets them.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
import type { JsonObject } from '../jsonrpc/message.ts'

/** Free space for extensions and hosts; keys with the reserved prefixes belong to the protocol. */
export type Meta = { [key: string]: unknown }

/** Who speaks. https://modelcontextprotocol.io/specification/2026-07-28/schema#role */
export type Role = 'user' | 'assistant'

/**
 * For whom something is and how much it matters; a hint for hosts.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#annotations
 */
export interface Annotations {
  audience?: Role[]
  /** 0 (optional) to 1 (required). */
  priority?: number
  /** ISO 8601. */
  lastModified?: string
}

/**
 * A picture of a server, tool, resource or prompt; `sizes` are such as `48x48` or `any`.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#icon
 */
export interface Icon {
  /** An `https:` or `data:` URI. */
  src: string
  mimeType?: string
  sizes?: string[]
  theme?: 'light' | 'dark'
}

/**
 * Who a server or client says it is: good for display, never for decisions.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#implementation
 */
export interface Implementation {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
}

interface Block {
  annotations?: Annotations
  _meta?: Meta
}

/** Text for a model or a user. https://modelcontextprotocol.io/specification/2026-07-28/schema#textcontent */
export interface TextContent extends Block {
  type: 'text'
  text: string
}

/** A picture, in base64. https://modelcontextprotocol.io/specification/2026-07-28/schema#imagecontent */
export interface ImageContent extends Block {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}

/**
 * A sound, in base64. Revisions before 2025-03-26 get it as an embedded resource.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#audiocontent
 */
export interface AudioContent extends Block {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}

/** What was read of a resource, as text. https://modelcontextprotocol.io/specification/2026-07-28/schema#textresourcecontents */
export interface TextResourceContents {
  uri: string
  mimeType?: string
  text: string
  _meta?: Meta
}

/**
 * What was read of a resource, as bytes in base64.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#blobresourcecontents
 */
export interface BlobResourceContents {
  uri: string
  mimeType?: string
  /** Base64. */
  blob: string
  _meta?: Meta
}

/** What was read of a resource. https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcecontents */
export type ResourceContents = TextResourceContents | BlobResourceContents

/**
 * The contents of a resource inside a result.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#embeddedresource
 */
export interface EmbeddedResource extends Block {
  type: 'resource'
  resource: ResourceContents
}

/**
 * A link to a resource, which the client may read or not. Revisions before 2025-06-18 get it as text.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcelink
 */
export interface ResourceLink extends Resource {
  type: 'resource_link'
}

/** One piece of a result or of a prompt. https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/**
 * What a tool says about its effects; hints that a client need not believe. Where they are absent, the tool may destroy and may reach
 * the outside.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
 */
export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** A tool, as a list shows it. https://modelcontextprotocol.io/specification/2026-07-28/schema#tool */
export interface Tool {
  name: string
  title?: string
  description?: string
  inputSchema: JsonObject
  outputSchema?: JsonObject
  annotations?: ToolAnnotations
  icons?: Icon[]
  _meta?: Meta
}

/** Something to read, as a list shows it. https://modelcontextprotocol.io/specification/2026-07-28/schema#resource */
export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  /** Bytes, before any encoding. */
  size?: number
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Meta
}

/** A family of resources, as a list shows it. https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcetemplate */
export interface ResourceTemplate {
  /** RFC 6570. */
  uriTemplate: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Meta
}

/** An argument of a prompt, which is a string. https://modelcontextprotocol.io/specification/2026-07-28/schema#promptargument */
export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}

/** A prompt, as a list shows it. https://modelcontextprotocol.io/specification/2026-07-28/schema#prompt */
export interface Prompt {
  name: string
  title?: string
  description?: string
  arguments?: PromptArgument[]
  icons?: Icon[]
  _meta?: Meta
}

/** One message of a prompt. https://modelcontextprotocol.io/specification/2026-07-28/schema#promptmessage */
export interface PromptMessage {
  role: Role
  content: ContentBlock
}

/**
 * The levels of log messages, from chatty to grave (RFC 5424).
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
export const LOGGING_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
/**
 * How grave a log message is, one of `LOGGING_LEVELS`.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#logginglevel
 */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number]

/**
 * What a client can be asked and what else it supports; a member that is there is supported.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#clientcapabilities
 */
export interface ClientCapabilities {
  elicitation?: { form?: JsonObject; url?: JsonObject }
  sampling?: { context?: JsonObject; tools?: JsonObject }
  roots?: JsonObject
  extensions?: { [id: string]: JsonObject }
  experimental?: { [name: string]: JsonObject }
}

/**
 * What a server offers; a member that is there is offered.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities
 */
export interface ServerCapabilities {
  tools?: { listChanged?: boolean }
  resources?: { listChanged?: boolean; subscribe?: boolean }
  prompts?: { listChanged?: boolean }
  completions?: JsonObject
  logging?: JsonObject
  extensions?: { [id: string]: JsonObject }
  experimental?: { [name: string]: JsonObject }
}

/**
 * How long and by whom a result may be kept.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface CacheHint {
  /** Milliseconds from receipt; 0 is stale at once. */
  ttlMs?: number
  /** `public` results may be shared between callers. */
  cacheScope?: 'public' | 'private'
}

/**
 * What a tool gives. With `isError` its content says what went wrong, for the model to read.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult
 */
export interface CallToolResult {
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

/** The messages of a prompt. https://modelcontextprotocol.io/specification/2026-07-28/schema#getpromptresult */
export interface GetPromptResult {
  description?: string
  messages: PromptMessage[]
  _meta?: Meta
}

/** What was read: one or more contents. https://modelcontextprotocol.io/specification/2026-07-28/schema#readresourceresult */
export interface ReadResourceResult extends CacheHint {
  contents: ResourceContents[]
  _meta?: Meta
}

/** Suggestions for a value that is being typed. https://modelcontextprotocol.io/specification/2026-07-28/schema#completion */
export interface Completion {
  /** At most 100. */
  values: string[]
  total?: number
  hasMore?: boolean
}

/**
 * The client's model wants a tool of the server to be called.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#toolusecontent
 */
export interface ToolUseContent {
  type: 'tool_use'
  id: string
  name: string
  input: JsonObject
  _meta?: Meta
}

/** What such a tool has given. https://modelcontextprotocol.io/specification/2026-07-28/schema#toolresultcontent */
export interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

/**
 * One piece of a message to or from the client's model.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#samplingcontent
 */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

/** One message to or from the client's model. https://modelcontextprotocol.io/specification/2026-07-28/schema#samplingmessage */
export interface SamplingMessage {
  role: Role
  content: SamplingContent | SamplingContent[]
  _meta?: Meta
}

/**
 * Which model suits; the priorities go from 0 to 1, and the client decides.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#modelpreferences
 */
export interface ModelPreferences {
  hints?: { name?: string }[]
  costPriority?: number
  speedPriority?: number
  intelligencePriority?: number
}

/**
 * What the client's model is asked; `maxTokens` is the most it may write, `temperature` and the priorities go from 0 to 1.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessageparams
 */
export interface CreateMessageParams {
  messages: SamplingMessage[]
  maxTokens: number
  systemPrompt?: string
  modelPreferences?: ModelPreferences
  includeContext?: 'none' | 'thisServer' | 'allServers'
  temperature?: number
  stopSequences?: string[]
  metadata?: JsonObject
  tools?: Tool[]
  toolChoice?: { mode?: 'auto' | 'required' | 'none' }
}

/**
 * What the client's model wrote; `stopReason` is such as `endTurn`, `maxTokens` or `toolUse`.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessageresult
 */
export interface CreateMessageResult {
  role: Role
  content: SamplingContent | SamplingContent[]
  model: string
  stopReason?: string
  _meta?: Meta
}

/** A question to the user, with a form. https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitformparams */
export interface ElicitFormParams {
  mode?: 'form'
  message: string
  requestedSchema: JsonObject
}

/** A page that the user is to open. https://modelcontextprotocol.io/specification/2026-07-28/schema#eliciturlparams */
export interface ElicitUrlParams {
  mode: 'url'
  message: string
  url: string
}

/** What the user did with a question. https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitaction */
export type ElicitAction = 'accept' | 'decline' | 'cancel'

/** What the user answered. https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitresult */
export interface ElicitResult {
  action: ElicitAction
  content?: { [field: string]: string | number | boolean | string[] }
}

/** A folder that the client lets the server work in. https://modelcontextprotocol.io/specification/2026-07-28/schema#root */
export interface Root {
  /** A `file:` URI. */
  uri: string
  name?: string
  _meta?: Meta
}

/** One thing that a server needs to know before it can answer. */
export interface InputRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  params?: JsonObject
}

/**
 * A result that asks: the client sends the request again with the answers and the state.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#inputrequiredresult
 */
export interface InputRequiredResult {
  resultType: 'input_required'
  inputRequests?: { [key: string]: InputRequest }
  requestState?: string
  _meta?: Meta
}

/**
 * What a `subscriptions/listen` request wants to hear of; extensions add keys.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionfilter
 */
export interface SubscriptionFilter {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  resourceSubscriptions?: string[]
  [extension: string]: unknown
}

/** What a server says about itself. https://modelcontextprotocol.io/specification/2026-07-28/schema#discoverresult */
export interface DiscoverResult extends CacheHint {
  supportedVersions: string[]
  capabilities: ServerCapabilities
  instructions?: string
  _meta?: Meta
}
