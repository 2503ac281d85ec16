import type { HttpInfo } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, Implementation } from '../protocol/types.ts'
import type { Call } from './call.ts'
import type { ToolAccess } from './tool-access.ts'

/** A page that shows the results of a tool in the conversation. `view()` of `portcall/apps/server` creates it. */
export interface ToolView {
  /** Called when a tool with the view is registered or changed. */
  readonly '~bind': (tool: ViewedTool, host: ViewHost) => BoundView
}

/** A view of a tool without an output schema. It reads the text of results: `view(file, { text: true })`. */
export interface TextToolView extends ToolView {
  /** True if the view reads the text of results. */
  readonly text: true
}

/** The tool that a view is bound to. */
export interface ViewedTool {
  /** The name of the tool. */
  readonly name: string
  /** The scopes of the tool. */
  readonly scopes: readonly string[] | undefined
  /** The `_meta` of its entry in lists so far. */
  readonly meta: JsonObject
}

/** A view as one tool uses it. */
export interface BoundView {
  /** The members that the tool's entry gets in lists. */
  readonly listing: JsonObject
  /** Completes a result of the tool. */
  readonly finish: (result: CallToolResult) => CallToolResult
}

/** Wraps the handler of a method. */
export type HandlerWrapper = (call: Call, next: () => Promise<JsonObject>) => Promise<object>

/** The services of a server for the views of its tools. It is the same object for all of them. */
export interface ViewHost {
  /** The name and version of the server. */
  readonly info: Implementation
  /** Declares that the server has resources. */
  declareResources(): void
  /** Wraps the handler of a method. `next` runs the handler so far. */
  wrapHandler(method: string, wrap: HandlerWrapper): void
  /** Returns what a caller may do with a tool. */
  toolAccess(name: string, call: Call): Promise<ToolAccess>
  /** Returns the HTTP request of a call, on transports that have one. */
  httpOf(call: Call): HttpInfo | undefined
  /** Reports whether a tool is registered, enabled or not, and has a view. */
  hasView(name: string): boolean
  /** Binds the view of a tool again and announces the change. */
  refresh(name: string): void
  /** Emits a `warning` event. The message says what is wrong and what to change. */
  reportWarning(message: string): void
  /** Emits an `error` event and returns its reference. */
  reportError(error: unknown): unknown
}
