/** Types of the inspector's protocol: the timeline. Types only. */

import type { LoggingLevel } from 'portcall'
import type { JsonObject, JsonValue, RequestId } from 'portcall/jsonrpc'
import type { ViewNote } from './views.ts'

/** The members that all entries of the timeline have. Entries are sent whole, and again when they change: the one with the highest `seq` wins. */
export interface TimelineEntryBase {
  /** Identifies the entry. Ids increase with time, across all servers. */
  readonly id: number
  /** The sequence number of the last change of the entry. */
  readonly seq: number
  /** The server that the entry belongs to. */
  readonly serverId: string
  /** When it happened, in milliseconds since 1970, with fractions. */
  readonly time: number
  /** The operation that caused it, if it is known. */
  readonly operationId?: string
}

/** A message of the protocol, as it crossed the wire. */
export interface MessageEntry extends TimelineEntryBase {
  /** The kind of entry. */
  readonly type: 'message'
  /** `out`: from the inspector to the server. */
  readonly direction: 'out' | 'in'
  /** `invalid`: bytes that are no JSON-RPC message. */
  readonly messageKind: 'request' | 'notification' | 'response' | 'error' | 'invalid'
  /** The method; for a response that of its request. */
  readonly method?: string
  /** The tool, prompt, URI or task of the request, for a short title. */
  readonly subject?: string
  /** The id of the message in JSON-RPC. */
  readonly rpcId?: RequestId
  /** The entry of the request that this response answers, or of the response to this request. */
  readonly pairId?: number
  /**
   * The entry that this one belongs to, for the tree: progress, questions and their answers belong to the request during which they were
   * sent; a retry with input responses belongs to the first request.
   */
  readonly parentId?: number
  /** The HTTP exchange that carried it; `http` entries have the same `httpId`. Absent without HTTP. */
  readonly httpId?: number
  /** The stream that it arrived on. */
  readonly stream?: MessageStream
  /** Time from the request to the response, in milliseconds. On both entries. */
  readonly durationMs?: number
  /** Size of the text in bytes. */
  readonly bytes: number
  /** The text as sent or received, at most 2,000 characters. `get-entry` has all of it. */
  readonly text: string
  /** True if `text` is shortened. */
  readonly isTruncated: boolean
  /** True if the message differs from its form in the newest revision: the translation view is worth opening. */
  readonly isTranslated?: boolean
  /** Set if the translation loses a part of the message: of one that arrives, or of one that is to be sent. */
  readonly isLossy?: boolean
  /** The state of a request: `cancelled` also when the server responds later. Absent for other kinds. */
  readonly state?: 'pending' | 'answered' | 'failed' | 'cancelled'
  /** The rules that the message breaks. */
  readonly violations?: readonly RuleViolation[]
}

/** The stream that carried a message: standard I/O, a JSON body, the event stream of a POST, the standalone stream, or in memory. */
export type MessageStream = 'stdio' | 'body' | 'post-stream' | 'get-stream' | 'memory'

/** An HTTP exchange: request and response heads. Bodies are `message` entries with the same `httpId`, or `bodyText`. */
export interface HttpEntry extends TimelineEntryBase {
  /** The kind of entry. */
  readonly type: 'http'
  /** Identifies the exchange. */
  readonly httpId: number
  /** The purpose of the exchange. `auth`: metadata, registration and tokens. */
  readonly purpose: 'mcp' | 'auth'
  /** The HTTP method. */
  readonly method: string
  /** The URL. */
  readonly url: string
  /** The headers of the request. Secrets are masked; `reveal` shows them. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** The status of the response, once it has arrived. */
  readonly status?: number
  /** The headers of the response. Secrets are masked. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** Bytes of the response body so far. */
  readonly responseBytes?: number
  /** The start of a response body that holds no message, such as the text of an error. */
  readonly bodyText?: string
  /** `open`: the response is still being received. */
  readonly state: 'pending' | 'open' | 'done' | 'failed' | 'cancelled'
  /** Why it failed. */
  readonly failure?: string
  /** Time until the head of the response, in milliseconds. */
  readonly headMs?: number
  /** Time until the end of the response, in milliseconds. */
  readonly durationMs?: number
  /** The rules that the exchange breaks. */
  readonly violations?: readonly RuleViolation[]
}

/** A log message of the server. */
export interface LogMessageEntry extends TimelineEntryBase {
  /** The kind of entry. */
  readonly type: 'log'
  /** The severity. */
  readonly level: LoggingLevel
  /** The part of the server that it is from. */
  readonly logger?: string
  /** The message. Untrusted. */
  readonly data: JsonValue
  /** The entry of the message that carried it. */
  readonly messageId?: number
}

/** A line that a program wrote to stderr. Untrusted. */
export interface StderrEntry extends TimelineEntryBase {
  /** The kind of entry. */
  readonly type: 'stderr'
  /** The text, one or more lines. */
  readonly text: string
}

/** Progress of an operation. */
export interface ProgressEntry extends TimelineEntryBase {
  /** The kind of entry. */
  readonly type: 'progress'
  /** The progress so far. */
  readonly progress: number
  /** Its value at the end. */
  readonly total?: number
  /** A description. Untrusted. */
  readonly message?: string
}

/** A change of the connection: connecting, connected, disconnected, a process that exits, a token that was refreshed, a warning. */
export interface ConnectionEntry extends TimelineEntryBase {
  /** The kind of entry. */
  readonly type: 'connection'
  /** The kind of the change. */
  readonly event: 'connecting' | 'connected' | 'failed' | 'disconnected' | 'reconnected' | 'token' | 'warning' | 'change'
  /** A sentence for people. */
  readonly text: string
  /** More about it. */
  readonly data?: JsonValue
}

/** Something between the page and a view of a tool. It crossed no wire of MCP. */
export interface ViewEntry extends TimelineEntryBase, ViewNote {
  /** The kind of entry. */
  readonly type: 'view'
}

/** An entry of the timeline. */
export type TimelineEntry = MessageEntry | HttpEntry | LogMessageEntry | StderrEntry | ProgressEntry | ConnectionEntry | ViewEntry

/** A rule of the specification that a server or a message breaks. */
export interface RuleViolation {
  /** The rule: `missing-result-type`, `late-progress`, `unknown-error-code`. */
  readonly rule: string
  /** How bad it is. */
  readonly level: 'error' | 'warning'
  /** The fault, and where. */
  readonly message: string
  /** The section of the specification. An `https:` address of modelcontextprotocol.io, jsonrpc.org or an RFC. */
  readonly link: string
  /** The member that is wrong, as a JSON pointer. */
  readonly pointer?: string
}

/** Everything about a message (`get-entry`). */
export interface MessageDetail {
  /** The entry. */
  readonly entry: TimelineEntry
  /** The text as sent, whole up to 4 MiB. */
  readonly text: string
  /** The parsed message, if it is JSON. */
  readonly value?: JsonValue
  /** The same message in the newest revision, as the core of the library sees it. Absent if it does not exist there (a handshake, `ping`). */
  readonly newest?: JsonObject
  /** The changes of the translation. Empty if the texts are equal but for ids. */
  readonly changes: readonly TranslationChange[]
  /** The HTTP exchange that carried it. */
  readonly http?: HttpEntry
  /** Why the message has no form in the newest revision. */
  readonly note?: string
}

/** A member that the translation between the revision on the wire and the newest one changed. */
export interface TranslationChange {
  /** The member, as a JSON pointer into the newest form; `dropped` members point into the form on the wire. */
  readonly pointer: string
  /** `dropped`: only on the side of the sender. `wrapped`: the value is inside another one. `renamed`, `added`, `changed`: as they say. */
  readonly kind: 'dropped' | 'added' | 'wrapped' | 'renamed' | 'changed'
  /** The value on the wire. */
  readonly wire?: JsonValue
  /** The value in the newest revision. */
  readonly newest?: JsonValue
}
