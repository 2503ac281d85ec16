/** The types of the newest revision, as the API uses them. https://modelcontextprotocol.io/specification/2026-07-28/schema */
import type { JsonObject } from '../jsonrpc/message.ts'

/** Additional data of extensions and applications. Keys with a reserved prefix belong to the protocol. */
export type Meta = { [key: string]: unknown }

/** The sender of a message. https://modelcontextprotocol.io/specification/2026-07-28/schema#role */
export type Role = 'user' | 'assistant'

/**
 * Hints about the audience and the importance of an object.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#annotations
 */
export interface Annotations {
  audience?: Role[]
  /** From 0 (optional) to 1 (required). */
  priority?: number
  /** An ISO 8601 timestamp. */
  lastModified?: string
}

/**
 * An icon of a server, tool, resource or prompt. `sizes` are strings such as `48x48`, or `any`.
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
 * The name and version of a server or client, as it declares them. Use it for display only, never for security decisions.
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

/** An image. https://modelcontextprotocol.io/specification/2026-07-28/schema#imagecontent */
export interface ImageContent extends Block {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}

/**
 * Audio. Peers of revisions before 2025-03-26 receive it as an embedded resource.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#audiocontent
 */
export interface AudioContent extends Block {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}

/** The text of a resource. https://modelcontextprotocol.io/specification/2026-07-28/schema#textresourcecontents */
export interface TextResourceContents {
  uri: string
  mimeType?: string
  text: string
  _meta?: Meta
}

/** The binary data of a resource. https://modelcontextprotocol.io/specification/2026-07-28/schema#blobresourcecontents */
export interface BlobResourceContents {
  uri: string
  mimeType?: string
  /** Base64. */
  blob: string
  _meta?: Meta
}

/** The contents of a resource. https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcecontents */
export type ResourceContents = TextResourceContents | BlobResourceContents

/** The contents of a resource within a result. https://modelcontextprotocol.io/specification/2026-07-28/schema#embeddedresource */
export interface EmbeddedResource extends Block {
  type: 'resource'
  resource: ResourceContents
}

/**
 * A link to a resource that the client may read. Peers of revisions before 2025-06-18 receive it as text.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcelink
 */
export interface ResourceLink extends Resource {
  type: 'resource_link'
}

/** A part of a tool result or of a prompt message. https://modelcontextprotocol.io/specification/2026-07-28/schema#contentblock */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/**
 * Hints about the effects of a tool, which a client should not trust. Without hints, a tool may be destructive and interact with external
 * systems.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
 */
export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** A tool as `tools/list` returns it. https://modelcontextprotocol.io/specification/2026-07-28/schema#tool */
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

/** A resource as `resources/list` returns it. https://modelcontextprotocol.io/specification/2026-07-28/schema#resource */
export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  /** The size in bytes, without base64 encoding. */
  size?: number
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Meta
}

/**
 * A resource template as `resources/templates/list` returns it.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcetemplate
 */
export interface ResourceTemplate {
  /** A URI template (RFC 6570). */
  uriTemplate: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Meta
}

/** An argument of a prompt. Its values are strings. https://modelcontextprotocol.io/specification/2026-07-28/schema#promptargument */
export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}

/** A prompt as `prompts/list` returns it. https://modelcontextprotocol.io/specification/2026-07-28/schema#prompt */
export interface Prompt {
  name: string
  title?: string
  description?: string
  arguments?: PromptArgument[]
  icons?: Icon[]
  _meta?: Meta
}

/** A message of a prompt. https://modelcontextprotocol.io/specification/2026-07-28/schema#promptmessage */
export interface PromptMessage {
  role: Role
  content: ContentBlock
}

/**
 * The log levels of RFC 5424, in increasing severity.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
export const LOGGING_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
/**
 * The severity of a log message, one of `LOGGING_LEVELS`.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#logginglevel
 */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number]

/**
 * The capabilities of a client. A capability is supported if its member is present.
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
 * The capabilities of a server. A capability is supported if its member is present.
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
 * How long a result may be cached, and for whom.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface CacheHint {
  /** The time to live in milliseconds after receipt. 0 means immediately stale. */
  ttlMs?: number
  /** A `public` result may be served to other users. */
  cacheScope?: 'public' | 'private'
}

/**
 * The result of a tool call. With `isError`, the content describes the error to the model.
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

/** The contents of a resource that was read. https://modelcontextprotocol.io/specification/2026-07-28/schema#readresourceresult */
export interface ReadResourceResult extends CacheHint {
  contents: ResourceContents[]
  _meta?: Meta
}

/** Suggestions for the value of an argument. https://modelcontextprotocol.io/specification/2026-07-28/schema#completion */
export interface Completion {
  /** At most 100 values. */
  values: string[]
  total?: number
  hasMore?: boolean
}

/**
 * The changes that a `subscriptions/listen` request subscribes to. Extensions add keys.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionfilter
 */
export interface SubscriptionFilter {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  resourceSubscriptions?: string[]
  [extension: string]: unknown
}

/** The description of a server. https://modelcontextprotocol.io/specification/2026-07-28/schema#discoverresult */
export interface DiscoverResult extends CacheHint {
  supportedVersions: string[]
  capabilities: ServerCapabilities
  instructions?: string
  _meta?: Meta
}
