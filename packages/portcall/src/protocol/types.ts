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
  /** Who the object is meant for. Default: everyone. */
  audience?: Role[]
  /** From 0 (optional) to 1 (required). */
  priority?: number
  /** When the resource was last modified, as an ISO 8601 timestamp. */
  lastModified?: string
}

/**
 * An icon of a server, tool, resource or prompt. `sizes` are strings such as `48x48`, or `any`.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#icon
 */
export interface Icon {
  /** Where the image is: an `https:` or `data:` URI. */
  src: string
  /** The media type, if the URI does not tell it. */
  mimeType?: string
  /** The sizes in which the icon can be used. Default: any. */
  sizes?: string[]
  /** The background that the icon is made for. Default: any. */
  theme?: 'light' | 'dark'
}

/**
 * The name and version of a server or client, as it declares them. Use it for display only, never for security decisions.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#implementation
 */
export interface Implementation {
  /** The programmatic name. */
  name: string
  /** The version, in any format. */
  version: string
  /** The name for display. Default: `name`. */
  title?: string
  /** The purpose of the program. */
  description?: string
  /** The URL of its web site. */
  websiteUrl?: string
  /** Icons for display. */
  icons?: Icon[]
}

interface Block {
  /** Hints for the client. */
  annotations?: Annotations
  /** Metadata by key. */
  _meta?: Meta
}

/** Text for a model or a user. https://modelcontextprotocol.io/specification/2026-07-28/schema#textcontent */
export interface TextContent extends Block {
  /** The kind of content. */
  type: 'text'
  /** The text. */
  text: string
}

/** An image. https://modelcontextprotocol.io/specification/2026-07-28/schema#imagecontent */
export interface ImageContent extends Block {
  /** The kind of content. */
  type: 'image'
  /** The bytes of the image in base64. */
  data: string
  /** The media type, such as `image/png`. */
  mimeType: string
}

/**
 * Audio. Peers of revisions before 2025-03-26 receive it as an embedded resource.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#audiocontent
 */
export interface AudioContent extends Block {
  /** The kind of content. */
  type: 'audio'
  /** The bytes of the sound in base64. */
  data: string
  /** The media type, such as `audio/wav`. */
  mimeType: string
}

/** The text of a resource. https://modelcontextprotocol.io/specification/2026-07-28/schema#textresourcecontents */
export interface TextResourceContents {
  /** The URI of the resource. */
  uri: string
  /** The media type, such as `text/markdown`. */
  mimeType?: string
  /** The text of the resource. */
  text: string
  /** Metadata by key. */
  _meta?: Meta
}

/** The binary data of a resource. https://modelcontextprotocol.io/specification/2026-07-28/schema#blobresourcecontents */
export interface BlobResourceContents {
  /** The URI of the resource. */
  uri: string
  /** The media type, such as `application/pdf`. */
  mimeType?: string
  /** The bytes of the resource in base64. */
  blob: string
  /** Metadata by key. */
  _meta?: Meta
}

/** The contents of a resource. https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcecontents */
export type ResourceContents = TextResourceContents | BlobResourceContents

/** The contents of a resource within a result. https://modelcontextprotocol.io/specification/2026-07-28/schema#embeddedresource */
export interface EmbeddedResource extends Block {
  /** The kind of content. */
  type: 'resource'
  /** The contents of the resource. */
  resource: ResourceContents
}

/**
 * A link to a resource that the client may read. Peers of revisions before 2025-06-18 receive it as text.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcelink
 */
export interface ResourceLink extends Resource {
  /** The kind of content. */
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
  /** The name for display. */
  title?: string
  /** True if the tool changes nothing. Default: false. */
  readOnlyHint?: boolean
  /** True if the tool may delete or overwrite something, if it is not read-only. Default: true. */
  destructiveHint?: boolean
  /** True if repeated calls with the same arguments have no additional effect, if the tool is not read-only. Default: false. */
  idempotentHint?: boolean
  /** True if the tool interacts with an open world of external entities, such as web search. Default: true. */
  openWorldHint?: boolean
}

/** A tool as `tools/list` returns it. https://modelcontextprotocol.io/specification/2026-07-28/schema#tool */
export interface Tool {
  /** The name, which is unique on the server. */
  name: string
  /** The name for display. */
  title?: string
  /** The purpose of the tool, for the model. */
  description?: string
  /** The JSON Schema of the arguments, an object. */
  inputSchema: JsonObject
  /** The JSON Schema of `structuredContent`. */
  outputSchema?: JsonObject
  /** Hints about the effects of the tool. */
  annotations?: ToolAnnotations
  /** Icons for display. */
  icons?: Icon[]
  /** Metadata by key. */
  _meta?: Meta
}

/** A resource as `resources/list` returns it. https://modelcontextprotocol.io/specification/2026-07-28/schema#resource */
export interface Resource {
  /** The URI, which is unique on the server. */
  uri: string
  /** The programmatic name. */
  name: string
  /** The name for display. Default: `name`. */
  title?: string
  /** The content of the resource. */
  description?: string
  /** The media type, if it is known. */
  mimeType?: string
  /** The size in bytes, without base64 encoding. */
  size?: number
  /** Hints for the client. */
  annotations?: Annotations
  /** Icons for display. */
  icons?: Icon[]
  /** Metadata by key. */
  _meta?: Meta
}

/**
 * A resource template as `resources/templates/list` returns it.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#resourcetemplate
 */
export interface ResourceTemplate {
  /** A URI template (RFC 6570). */
  uriTemplate: string
  /** The programmatic name. */
  name: string
  /** The name for display. Default: `name`. */
  title?: string
  /** The content of the resources. */
  description?: string
  /** The media type, if all resources of the template have the same. */
  mimeType?: string
  /** Hints for the client. */
  annotations?: Annotations
  /** Icons for display. */
  icons?: Icon[]
  /** Metadata by key. */
  _meta?: Meta
}

/** An argument of a prompt. Its values are strings. https://modelcontextprotocol.io/specification/2026-07-28/schema#promptargument */
export interface PromptArgument {
  /** The name of the argument. */
  name: string
  /** The name for display. Default: `name`. */
  title?: string
  /** The meaning of the argument. */
  description?: string
  /** True if the argument must be given. Default: false. */
  required?: boolean
}

/** A prompt as `prompts/list` returns it. https://modelcontextprotocol.io/specification/2026-07-28/schema#prompt */
export interface Prompt {
  /** The name, which is unique on the server. */
  name: string
  /** The name for display. Default: `name`. */
  title?: string
  /** The purpose of the prompt. */
  description?: string
  /** The arguments of the prompt. */
  arguments?: PromptArgument[]
  /** Icons for display. */
  icons?: Icon[]
  /** Metadata by key. */
  _meta?: Meta
}

/** A message of a prompt. https://modelcontextprotocol.io/specification/2026-07-28/schema#promptmessage */
export interface PromptMessage {
  /** Who the message is from. */
  role: Role
  /** The content of the message. */
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
  /** Input from the user, by a form or at a URL. */
  elicitation?: {
    /** The client can show a form. */
    form?: JsonObject
    /** The client can show a URL, for input that must not pass through it. */
    url?: JsonObject
  }
  /** Messages from the client's model, with context of MCP servers and with tools. */
  sampling?: {
    /** The client supports `includeContext`. */
    context?: JsonObject
    /** The client supports `tools` and `toolChoice`. */
    tools?: JsonObject
  }
  /** The directories that the server may access. */
  roots?: JsonObject
  /** The settings of protocol extensions, by extension ID. */
  extensions?: { [id: string]: JsonObject }
  /** Capabilities that are not part of the specification, by name. */
  experimental?: { [name: string]: JsonObject }
}

/**
 * The capabilities of a server. A capability is supported if its member is present.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#servercapabilities
 */
export interface ServerCapabilities {
  /** Tools, and notifications when their list changes. */
  tools?: {
    /** The server notifies subscribers when the list changes. */
    listChanged?: boolean
  }
  /** Resources, notifications when their list changes, and subscriptions to single resources. */
  resources?: {
    /** The server notifies subscribers when the list changes. */
    listChanged?: boolean
    /** The server notifies subscribers when a single resource changes. */
    subscribe?: boolean
  }
  /** Prompts, and notifications when their list changes. */
  prompts?: {
    /** The server notifies subscribers when the list changes. */
    listChanged?: boolean
  }
  /** Suggestions for the arguments of prompts and resource templates. */
  completions?: JsonObject
  /** Log messages. */
  logging?: JsonObject
  /** The settings of protocol extensions, by extension ID. */
  extensions?: { [id: string]: JsonObject }
  /** Capabilities that are not part of the specification, by name. */
  experimental?: { [name: string]: JsonObject }
}

/**
 * How long a result may be cached, and for whom.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface CacheHint {
  /** The time to live in milliseconds after receipt. 0 means immediately stale. */
  ttlMs?: number
  /** Who may share the cached result: everyone (`public`) or only this user (`private`). */
  cacheScope?: 'public' | 'private'
}

/**
 * The result of a tool call. With `isError`, the content describes the error to the model.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult
 */
export interface CallToolResult {
  /** The result for the model. */
  content: ContentBlock[]
  /** The result as a JSON value that matches the output schema of the tool. */
  structuredContent?: unknown
  /** True if the tool failed. Default: false. */
  isError?: boolean
  /** Metadata by key. */
  _meta?: Meta
}

/** The messages of a prompt. https://modelcontextprotocol.io/specification/2026-07-28/schema#getpromptresult */
export interface GetPromptResult {
  /** The purpose of the prompt. */
  description?: string
  /** The messages, in order. */
  messages: PromptMessage[]
  /** Metadata by key. */
  _meta?: Meta
}

/** The contents of a resource that was read. https://modelcontextprotocol.io/specification/2026-07-28/schema#readresourceresult */
export interface ReadResourceResult extends CacheHint {
  /** The contents of the resource, in one or more parts. */
  contents: ResourceContents[]
  /** Metadata by key. */
  _meta?: Meta
}

/** Suggestions for the value of an argument. https://modelcontextprotocol.io/specification/2026-07-28/schema#completion */
export interface Completion {
  /** At most 100 values. */
  values: string[]
  /** The number of all matching values, which may be more than are returned. */
  total?: number
  /** True if there are more values than are returned. */
  hasMore?: boolean
}

/**
 * The changes that a `subscriptions/listen` request subscribes to. Extensions add keys.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#subscriptionfilter
 */
export interface SubscriptionFilter {
  /** Changes of the list of tools. */
  toolsListChanged?: boolean
  /** Changes of the list of prompts. */
  promptsListChanged?: boolean
  /** Changes of the lists of resources and resource templates. */
  resourcesListChanged?: boolean
  /** The URIs of the resources whose changes are reported. */
  resourceSubscriptions?: string[]
  [extension: string]: unknown
}

/** The description of a server. https://modelcontextprotocol.io/specification/2026-07-28/schema#discoverresult */
export interface DiscoverResult extends CacheHint {
  /** The protocol versions that the server supports. */
  supportedVersions: string[]
  /** The capabilities of the server. */
  capabilities: ServerCapabilities
  /** How to use the server, for the model. */
  instructions?: string
  /** Metadata by key. */
  _meta?: Meta
}
