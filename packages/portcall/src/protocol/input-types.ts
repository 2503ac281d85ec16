/**
 * The types of input requests: sampling, elicitation and roots.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
import type { JsonObject } from '../jsonrpc/message.ts'
import type { AudioContent, ContentBlock, ImageContent, Meta, Role, TextContent, Tool } from './types.ts'

/** A tool call that the client's model requests. https://modelcontextprotocol.io/specification/2026-07-28/schema#toolusecontent */
export interface ToolUseContent {
  type: 'tool_use'
  id: string
  name: string
  input: JsonObject
  _meta?: Meta
}

/** The result of such a tool call. https://modelcontextprotocol.io/specification/2026-07-28/schema#toolresultcontent */
export interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}

/**
 * A part of a message to or from the client's model.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#samplingcontent
 */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

/** A message to or from the client's model. https://modelcontextprotocol.io/specification/2026-07-28/schema#samplingmessage */
export interface SamplingMessage {
  /** Who sent the message. */
  role: Role
  /** One or more parts of the message. */
  content: SamplingContent | SamplingContent[]
  /** Metadata by key. */
  _meta?: Meta
}

/**
 * The server's preferences for the model, with priorities from 0 to 1. The client chooses.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#modelpreferences
 */
export interface ModelPreferences {
  hints?: { name?: string }[]
  costPriority?: number
  speedPriority?: number
  intelligencePriority?: number
}

/**
 * A request to the client's model. `maxTokens` limits the length of the response; `temperature` is from 0 to 1.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessageparams
 */
export interface CreateMessageParams {
  /** The conversation so far. */
  messages: SamplingMessage[]
  /** The maximum number of tokens to generate. */
  maxTokens: number
  /** The system prompt that the server suggests. The client may change it. */
  systemPrompt?: string
  /** Preferences for the choice of the model. */
  modelPreferences?: ModelPreferences
  /** Which context of MCP servers to include in the prompt. Default: `none`. */
  includeContext?: 'none' | 'thisServer' | 'allServers'
  /** The sampling temperature. */
  temperature?: number
  /** Sequences that end the generation. */
  stopSequences?: string[]
  /** Data for the provider of the model. Its format depends on the provider. */
  metadata?: JsonObject
  /** The tools that the model may call. Requires the capability `sampling.tools`. */
  tools?: Tool[]
  /** The use of tools that the model may or must make. Default: `auto`. */
  toolChoice?: {
    /** `auto`: the model decides. `required`: it calls at least one tool. `none`: it calls no tool. Default: `auto`. */
    mode?: 'auto' | 'required' | 'none'
  }
}

/**
 * The response of the client's model. `stopReason` is a string such as `endTurn`, `maxTokens` or `toolUse`.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#createmessageresult
 */
export interface CreateMessageResult {
  /** The role of the message, usually `assistant`. */
  role: Role
  /** One or more parts of the message. */
  content: SamplingContent | SamplingContent[]
  /** The name of the model that generated the message. */
  model: string
  /** Why the generation ended. */
  stopReason?: string
  /** Metadata by key. */
  _meta?: Meta
}

/** The user's decision on an elicitation. https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitaction */
export type ElicitAction = 'accept' | 'decline' | 'cancel'

/** The response of the user. https://modelcontextprotocol.io/specification/2026-07-28/schema#elicitresult */
export interface ElicitResult {
  action: ElicitAction
  content?: { [field: string]: string | number | boolean | string[] }
}

/** A directory that the server may access. https://modelcontextprotocol.io/specification/2026-07-28/schema#root */
export interface Root {
  /** The directory or file, as a `file:` URI. */
  uri: string
  /** A name for display. */
  name?: string
  /** Metadata by key. */
  _meta?: Meta
}

/** Input that a server requires before it can respond. */
export interface InputRequest {
  method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  params?: JsonObject
}

/** Handles one input request of a server. @throws RpcError when the client cannot provide the input. */
export type InputRequestHandler = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>

/**
 * A result that asks for input. The client sends the request again with the input responses and the request state.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#inputrequiredresult
 */
export interface InputRequiredResult {
  resultType: 'input_required'
  inputRequests?: { [key: string]: InputRequest }
  requestState?: string
  _meta?: Meta
}
