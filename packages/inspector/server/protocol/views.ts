/** Types of the inspector's protocol: views of tools (MCP Apps), which the page shows. Types only. */

/** Something that happened between the page and a view, for the timeline. */
export interface ViewNote {
  /** The kind. `refused`: a message of the view that was not carried out. `blocked`: its policy blocked something. */
  readonly event: ViewEvent
  /** Who sent the message. */
  readonly from?: 'view' | 'host'
  /** The method, or a title. */
  readonly title: string
  /** The message as JSON, or a sentence. Untrusted. */
  readonly text: string
}

/** A kind of what happens between the page and a view. */
export type ViewEvent = 'message' | 'refused' | 'blocked' | 'failed'

/** Something that the policy of a view blocked, as the browser reports it. */
export interface BlockedByPolicy {
  /** The directive, such as `connect-src`. */
  readonly directive: string
  /** The address, or `inline`, `eval`, `wasm-eval`. */
  readonly blocked: string
  /** The line of the page, if the browser names it. */
  readonly line?: number
}
