/** The parts that a host provides to its views, and those that it gets from them. */
import type { JsonObject, Message } from '../../jsonrpc/message.ts'
import type { CallToolResult, Implementation, Tool } from '../../protocol/types.ts'
import type { DisplayMode, HostContext } from '../view/types.ts'
import type { DroppedCspEntry } from './csp.ts'
import type { OfferedFile } from './downloads.ts'
import type { ViewState } from './methods.ts'
import type { ViewFault } from './view-report.ts'

/** The connection to the server of a view: a `Client` of Portcall, or an object with the same methods. */
export interface AppClient {
  /** Lists the tools of the server. */
  tools(): {
    /** Returns all of them. */
    toArray(): Promise<Tool[]>
  }
  /** Calls a tool. */
  callTool(name: string, args?: JsonObject, options?: AppCallOptions): Promise<CallToolResult>
  /** Sends any other request. */
  request(method: string, params?: JsonObject, options?: AppCallOptions): Promise<JsonObject>
}

/** How a request is passed to the server. */
export interface AppCallOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal
  /** Receives progress. */
  readonly onProgress?: (progress: { readonly progress: number; readonly total?: number; readonly message?: string }) => void
  /** Members of `_meta`. */
  readonly meta?: JsonObject
}

/** A call of a tool that a view asks for. */
export interface ViewToolCall {
  /** The tool. */
  readonly tool: Tool
  /** The arguments. */
  readonly args: JsonObject
  /** The URI of the view. */
  readonly view: string | undefined
}

/** Content for the conversation or the model. */
export interface ViewContent {
  /** Content blocks, as in MCP. */
  readonly content: readonly JsonObject[]
  /** Data for the model. */
  readonly structuredContent?: JsonObject
}

/** A message of a view for the log. */
export interface ViewLogEntry {
  /** The severity, such as `info`. */
  readonly level: string
  /** The part of the view that writes. */
  readonly logger?: string
  /** The message. */
  readonly data: unknown
}

/** Functions of the host. A feature whose function is absent is not offered to views. */
export interface AppHandlers {
  /** Opens an `http` or `https` address in a new window. Show the whole address before. Returns `false` to refuse. */
  readonly onOpenLink?: (url: string) => unknown
  /** Writes into the conversation in the user's name. Show it to the user. Returns `false` to refuse. */
  readonly onMessage?: (message: ViewContent) => unknown
  /** Replaces what the model knows of the view. Show it to the user. Returns `false` to refuse. */
  readonly onModelContext?: (context: ViewContent) => unknown
  /** Offers files to the user. Names are safe. Returns `false` to refuse. */
  readonly onDownload?: (files: readonly OfferedFile[]) => unknown
  /** Shows the view in another mode. Returns the mode that it has now. */
  readonly onDisplayMode?: (mode: DisplayMode) => DisplayMode | Promise<DisplayMode>
  /** Asks the model: params and result of `sampling/createMessage`. */
  readonly onSample?: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>
  /** Receives the log of the view. */
  readonly onLog?: (entry: ViewLogEntry) => void
  /** Decides before each call of a tool whether it may happen. Default: every call may. */
  readonly approve?: (call: ViewToolCall) => boolean | Promise<boolean>
  /** Receives what happens: for a timeline, and to find faults. */
  readonly onEvent?: (event: AppEvent) => void
}

/** Something that happens between a host and a view. */
export type AppEvent =
  | {
      /** A message that was accepted or sent. */
      readonly type: 'message'
      /** Who sent it. */
      readonly from: 'view' | 'host'
      /** The message. */
      readonly message: Message
    }
  | {
      /** A message of the view that was refused or ignored. */
      readonly type: 'refused'
      /** The reason, in one sentence. */
      readonly reason: string
      /** The method, if it is readable. */
      readonly method?: string
      /** The code of the error that the view received. Absent if it received none. */
      readonly code?: number
    }
  | {
      /** The view has another state. */
      readonly type: 'state'
      /** The state. */
      readonly state: ViewState
    }
  | {
      /** Entries of `csp` that are not part of the policy. */
      readonly type: 'csp'
      /** The policy of the view. */
      readonly policy: string
      /** The entries. */
      readonly dropped: readonly DroppedCspEntry[]
    }
  | {
      /** A function of the host failed, or the view cannot be shown. */
      readonly type: 'error'
      /** The error. */
      readonly error: unknown
    }
  | ({
      /** The view has failed, or has written an error to its console. */
      readonly type: 'view-error'
    } & ViewFault)
  | {
      /** The view reports its size. */
      readonly type: 'size'
      /** The width, px. */
      readonly width?: number
      /** The height, px. */
      readonly height?: number
    }

/** News for the view. */
export interface AppUpdate {
  /** The arguments as far as the model has written them. */
  readonly partialInput?: JsonObject
  /** The complete arguments. Delivered once. */
  readonly input?: JsonObject
  /** The result of the tool call. Delivered once, after the arguments. */
  readonly result?: CallToolResult
  /** The call was cancelled; the text says why. */
  readonly cancelled?: string
  /** Changes of the host's context. */
  readonly context?: HostContext
}

/** Facts about a view that introduced itself. */
export interface ConnectedApp {
  /** The name and version. */
  readonly info: Implementation
  /** The features. */
  readonly capabilities: JsonObject
}
