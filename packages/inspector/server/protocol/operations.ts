/** Types of the inspector's protocol: what the inspector asks of servers, and what servers ask of the inspector. Types only. */

import type { CreateMessageParams, LoggingLevel } from 'portcall'
import type { SubscriptionFilter } from 'portcall/client'
import type { JsonObject, JsonValue } from 'portcall/jsonrpc'
import type { InspectorFailure, InspectorTarget, InventoryKind } from './servers.ts'

/** An operation. The type of `OperationState.result` is in `OperationResults`. */
export type OperationRequest =
  /** Reads info, capabilities and instructions again. */
  | { readonly type: 'discover' }
  /** Fetches a list again. Its items arrive as an `inventory` event. */
  | { readonly type: 'list'; readonly kind: InventoryKind }
  /** Calls a tool. A `_meta` goes into `OperationOptions.meta`. `asTask`: does not wait for the task that the call becomes. */
  | { readonly type: 'call-tool'; readonly name: string; readonly arguments: JsonObject; readonly asTask?: boolean }
  /** Reads a resource. */
  | { readonly type: 'read-resource'; readonly uri: string }
  /** Renders a prompt. */
  | { readonly type: 'get-prompt'; readonly name: string; readonly arguments: Readonly<Record<string, string>> }
  /** Suggests values. A newer completion of the same argument cancels an older one. */
  | {
      readonly type: 'complete'
      readonly ref:
        | { readonly type: 'ref/prompt'; readonly name: string }
        | { readonly type: 'ref/resource'; readonly uri: string }
      readonly argument: { readonly name: string; readonly value: string }
      readonly context?: Readonly<Record<string, string>>
    }
  /** Subscribes until cancelled. `granted` and changes arrive as `updates`. */
  | { readonly type: 'listen'; readonly filter: SubscriptionFilter }
  /** Sets the level of log messages: of the session, at once, or of all later requests in the newest revision. `null`: none. */
  | { readonly type: 'set-log-level'; readonly level: LoggingLevel | null }
  /** Fetches the state of a task. */
  | { readonly type: 'task-get'; readonly taskId: string }
  /** Waits for the end of a task, and answers its questions. */
  | { readonly type: 'task-result'; readonly taskId: string }
  /** Cancels a task. */
  | { readonly type: 'task-cancel'; readonly taskId: string }
  /** Loads the manifest of a skill. */
  | { readonly type: 'skill-load'; readonly uri: string }
  /** Lists a directory of a skill. */
  | { readonly type: 'skill-directory'; readonly uri: string }
  /** Reads a file of a skill. */
  | { readonly type: 'skill-read'; readonly uri: string }
  /**
   * Subscribes to events until cancelled. Each delivery arrives as an update: `kind` is `event`, `gap`, `error`, `status` or `delivery`, which
   * is a request to the receiver, with the verdict on its signature.
   */
  | {
      readonly type: 'event-subscribe'
      readonly name: string
      readonly arguments: JsonObject
      readonly mode: 'poll' | 'push' | 'webhook'
      readonly cursor?: string | null
    }
  /** Sends a delivery of a webhook subscription to the receiver again. */
  | { readonly type: 'event-replay'; readonly operationId: string; readonly messageId: string }
  /**
   * Sends any request through the client, in the newest revision: it is translated for older servers. `untranslated`: in the revision of the
   * connection, with these params and nothing else, and without a timeout.
   */
  | { readonly type: 'request'; readonly method: string; readonly params?: JsonObject; readonly untranslated?: boolean }
  /** Sends a notification as it is. */
  | { readonly type: 'notify'; readonly method: string; readonly params?: JsonObject }

/** Options of any operation. */
export interface OperationOptions {
  /** Additional members of `_meta`. */
  readonly meta?: JsonObject
  /** Additional HTTP headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Timeouts in milliseconds. */
  readonly timeouts?: { readonly requestTimeoutMs?: number; readonly totalTimeoutMs?: number }
  /** True if a view of a tool asks for it: screens of tools do not show its result. */
  readonly fromView?: boolean
  /** Sends the request several times. */
  readonly repeat?: {
    /** How often, at most 10,000. */
    readonly count: number
    /** How many per second at most. Default: one after another, as fast as the server responds. */
    readonly perSecond?: number
    /** How many at the same time, at most 64. Default: 1. */
    readonly concurrency?: number
  }
}

/** The results by type of operation. They are as the newest revision has them, with unknown members kept. Untrusted. */
export interface OperationResults {
  /** `DiscoverResult`. */
  readonly discover: JsonObject
  /** The number of items. */
  readonly list: { readonly count: number }
  /** `CallToolResult`, or `{ task }` with `asTask`. */
  readonly 'call-tool': JsonObject
  /** `ReadResourceResult`. */
  readonly 'read-resource': JsonObject
  /** `GetPromptResult`. */
  readonly 'get-prompt': JsonObject
  /** `Completion`: `values`, `total`, `hasMore`. */
  readonly complete: JsonObject
  /** The filter that was granted. */
  readonly listen: JsonObject
  /** Nothing. */
  readonly 'set-log-level': JsonObject
  /** The task, as on the wire. */
  readonly 'task-get': JsonObject
  /** `CallToolResult`. */
  readonly 'task-result': JsonObject
  /** Nothing. */
  readonly 'task-cancel': JsonObject
  /** `{ uri, frontmatter, body, files }`. */
  readonly 'skill-load': JsonObject
  /** `{ items }`. */
  readonly 'skill-directory': JsonObject
  /** `{ text }` or `{ base64 }`, with `mimeType`. */
  readonly 'skill-read': JsonObject
  /** `{ mode, cursor }`, and for a webhook its `url`. */
  readonly 'event-subscribe': JsonObject
  /** Nothing. */
  readonly 'event-replay': JsonObject
  /** The result of the method. */
  readonly request: JsonObject
  /** Nothing. */
  readonly notify: JsonObject
}

/** An operation. Sent whole with each change. The last 500 are kept, also over a reload of the page. */
export interface OperationState {
  /** Identifies the operation. */
  readonly id: string
  /** The server. */
  readonly serverId: string
  /** The operation that was asked for. */
  readonly request: OperationRequest
  /** Its options. */
  readonly options: OperationOptions
  /** `done`: also for a tool result with `isError`, which is not an error of the transport. */
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  /** When it started, in milliseconds since 1970. */
  readonly startedAt: number
  /** How long it took, in milliseconds. */
  readonly durationMs?: number
  /** The result, if it is `done`. See `OperationResults`. */
  readonly result?: JsonObject
  /** Issues of the structured content against the output schema, and other checks of the result. Empty: valid. Absent: not checked. */
  readonly issues?: readonly { readonly path: readonly (string | number)[]; readonly message: string }[]
  /** Why it failed. */
  readonly failure?: InspectorFailure
  /** The last progress. */
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }
  /** The entries of the timeline that it caused, first to last; at most 100. */
  readonly entryIds: readonly number[]
  /** The last 100 updates of a subscription: what was granted, and each change. */
  readonly updates?: readonly { readonly time: number; readonly value: JsonObject }[]
  /** Counts of a repeated operation. */
  readonly repeated?: {
    /** Responses with a result. */
    readonly succeeded: number
    /** Failures. */
    readonly failed: number
    /** Milliseconds: median, 95 %, maximum. */
    readonly p50Ms: number
    /** See `p50Ms`. */
    readonly p95Ms: number
    /** See `p50Ms`. */
    readonly maxMs: number
  }
}

/** A question of a server, or of the sign-in to it, for the user. Several can be open. */
export type QuestionRequest =
  | {
      /** A form. */
      readonly kind: 'form'
      /** The question of the server. Untrusted. */
      readonly message: string
      /** The fields, as a flat JSON Schema. */
      readonly schema: JsonObject
      /** The default values. */
      readonly defaults: JsonObject
    }
  | {
      /** The user should open an address. The page shows the whole address and opens it only when the user clicks. */
      readonly kind: 'url'
      /** Why. Untrusted. */
      readonly message: string
      /** An `http:` or `https:` address. Untrusted. */
      readonly url: string
      /** The host of the address, in ASCII, to make lookalikes visible. */
      readonly asciiHost: string
    }
  | {
      /** A response of a language model. */
      readonly kind: 'sampling'
      /** The params of `sampling/createMessage`. Untrusted. */
      readonly params: CreateMessageParams
      /** True if a model endpoint is set, so that `ask-model` can draft the answer. */
      readonly hasModel: boolean
    }
  | {
      /** The user signs in to the server. */
      readonly kind: 'sign-in'
      /** The authorization server, as an origin. */
      readonly issuer: string
      /** The whole authorization address: `https:`, or `http:` on loopback. The user opens it. */
      readonly url: string
    }

/** A question. Sent whole with each change. */
export interface InspectorQuestion {
  /** Identifies the question. */
  readonly id: string
  /** The server that asks. */
  readonly serverId: string
  /** The operation during which it asks, if it is known. */
  readonly operationId?: string
  /** The entry of the timeline with the request. */
  readonly entryId?: number
  /** The question. */
  readonly request: QuestionRequest
  /** `withdrawn`: the server no longer needs the answer. `answered-automatically`: by a saved answer. */
  readonly status: 'open' | 'answered' | 'answered-automatically' | 'withdrawn' | 'failed'
  /** When it was asked, in milliseconds since 1970. */
  readonly askedAt: number
  /** The answer that was given. */
  readonly answer?: QuestionAnswer
  /** Why an answer came too late or was refused, or that it was a saved one, in a sentence. */
  readonly note?: string
}

/** An answer. `accept` of a URL means that the user agreed to open it; of a sign-in nothing, since the callback answers it. */
export type QuestionAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' }

/** An answer that is given again, without a question. */
export interface SavedAnswer {
  /** Identifies it. */
  readonly id: string
  /** The kind of question. */
  readonly kind: 'form' | 'url' | 'sampling'
  /** Only for this server. Default: all. */
  readonly serverId?: string
  /** Only for questions whose text contains this. Default: all. */
  readonly contains?: string
  /** The answer. For sampling, `content` is a `CreateMessageResult`. */
  readonly answer: QuestionAnswer
  /** True to answer without asking; otherwise it is offered. */
  readonly automatic: boolean
}

/** A call that is kept in a file and can be run again, also by `portcall replay`. */
export interface SavedCall {
  /** Identifies it within the file. */
  readonly id: string
  /** A name for display. */
  readonly name: string
  /** The name of the server that it was saved for. */
  readonly server: string
  /** Where that server is. Not in exported files. */
  readonly target?: InspectorTarget
  /** The operation. */
  readonly request: OperationRequest
  /** Its options. */
  readonly options?: OperationOptions
  /** The conditions on the result. */
  readonly assertions: readonly CallAssertion[]
}

/** One condition of a saved call. */
export interface CallAssertion {
  /** A JSON pointer into the result, such as `/structuredContent/total` or `/isError`. Empty: the whole result. */
  readonly pointer: string
  /** The comparison. */
  readonly check: 'equals' | 'contains' | 'matches' | 'exists' | 'absent' | 'at-most' | 'at-least'
  /** The value to compare with; a regular expression for `matches`. */
  readonly value?: JsonValue
}

/** The outcome of a saved call. */
export interface SavedCallOutcome {
  /** The call. */
  readonly id: string
  /** True if all assertions hold. */
  readonly passed: boolean
  /** The operation. */
  readonly operationId: string
  /** The assertions that failed, with what was found. */
  readonly failures: readonly { readonly assertion: CallAssertion; readonly found?: JsonValue; readonly message: string }[]
}
