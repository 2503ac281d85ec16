/**
 * The shapes of the newest revision, as an author meets them.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
import type { JsonObject } from '../jsonrpc/message.ts'

/** Free space for extensions and hosts; keys with the reserved prefixes belong to the protocol. */
export type Meta = { [key: string]: unknown }

export type Role = 'user' | 'assistant'

export interface Annotations {
  audience?: Role[]
  /** 0 (optional) to 1 (required). */
  priority?: number
  /** ISO 8601. */
  lastModified?: string
}

export interface Icon {
  /** An `https:` or `data:` URI. */
  src: string
  mimeType?: string
  sizes?: string[]
  theme?: 'light' | 'dark'
}

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

export interface TextContent extends Block {
  type: 'text'
  text: string
}

export interface ImageContent extends Block {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}

export interface AudioContent extends Block {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}

export interface TextResourceContents {
  uri: string
  mimeType?: string
  text: string
  _meta?: Meta
}

export interface BlobResourceContents {
  uri: string
  mimeType?: string
  /** Base64. */
  blob: string
  _meta?: Meta
}

export type ResourceContents = TextResourceContents | BlobResourceContents

export interface EmbeddedResource extends Block {
  type: 'resource'
  resource: ResourceContents
}

export interface ResourceLink extends Resource {
  type: 'resource_link'
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

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

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}

export interface Prompt {
  name: string
  title?: string
  description?: string
  arguments?: PromptArgument[]
  icons?: Icon[]
  _meta?: Meta
}

export interface PromptMessage {
  role: Role
  content: ContentBlock
}

/** From chatty to grave (RFC 5424). */
export const LOGGING_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
export type LoggingLevel = (typeof LOGGING_LEVELS)[number]

export interface ClientCapabilities {
  elicitation?: { form?: JsonObject; url?: JsonObject }
  sampling?: { context?: JsonObject; tools?: JsonObject }
  roots?: JsonObject
  extensions?: { [id: string]: JsonObject }
  experimental?: { [name: string]: JsonObject }
}

export interface ServerCapabilities {
  tools?: { listChanged?: boolean }
  resources?: { listChanged?: boolean; subscribe?: boolean }
  prompts?: { listChanged?: boolean }
  completions?: JsonObject
  logging?: JsonObject
  extensions?: { [id: string]: JsonObject }
  experimental?: { [name: string]: JsonObject }
}

/** How long and by whom a result may be kept. */
export interface CacheHint {
  /** Milliseconds from receipt; 0 is stale at once. */
  ttlMs?: number
  /** `public` results may be shared between callers. */
  cacheScope?: 'public' | 'private'
}

export interface CallToolResult {
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

export interface GetPromptResult {
  description?: string
  messages: PromptMessage[]
  _meta?: Meta
}

export interface ReadResourceResult extends CacheHint {
  contents: ResourceContents[]
  _meta?: Meta
}

export interface Completion {
  /** At most 100. */
  values: string[]
  total?: number
  hasMore?: boolean
}

export interface ToolUseContent {
  type: 'tool_use'
  id: string
  name: string
  input: JsonObject
  _meta?: Meta
}

export interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

export interface SamplingMessage {
  role: Role
  content: SamplingContent | SamplingContent[]
  _meta?: Meta
}

export interface ModelPreferences {
  hints?: { name?: string }[]
  costPriority?: number
  speedPriority?: number
  intelligencePriority?: number
}

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

export interface CreateMessageResult {
  role: Role
  content: SamplingContent | SamplingContent[]
  model: string
  stopReason?: string
  _meta?: Meta
}

export interface ElicitFormParams {
  mode?: 'form'
  message: string
  requestedSchema: JsonObject
}

export interface ElicitUrlParams {
  mode: 'url'
  message: string
  url: string
}

export type ElicitAction = 'accept' | 'decline' | 'cancel'

export interface ElicitResult {
  action: ElicitAction
  content?: { [field: string]: string | number | boolean | string[] }
}

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

export interface InputRequiredResult {
  resultType: 'input_required'
  inputRequests?: { [key: string]: InputRequest }
  requestState?: string
  _meta?: Meta
}

/** What a `subscriptions/listen` request wants to hear of; extensions add keys. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  resourceSubscriptions?: string[]
  [extension: string]: unknown
}

export interface DiscoverResult extends CacheHint {
  supportedVersions: string[]
  capabilities: ServerCapabilities
  instructions?: string
  _meta?: Meta
}
