/** Types of the inspector's protocol: views of tools (MCP Apps), which the page shows. Types only. */
import type { JsonObject } from 'portcall/jsonrpc'

/** The view that a page shows first, after a call of its tool. */
export interface FirstView {
  /** The server of the tool. */
  readonly serverId: string
  /** The tool. Default: the first one with a view. */
  readonly tool?: string
  /** The arguments of the call. Default: those that the form starts with. */
  readonly arguments?: JsonObject
  /** How the view is shown: the names and values of the controls of views. */
  readonly settings?: ViewSettings
}

/** How views are shown. */
export interface ViewSettings {
  /** The host that is emulated, by its name in `APP_HOSTS`. Empty: none. */
  readonly profile?: string
  /** The theme. */
  readonly theme?: 'light' | 'dark'
  /** The width, px. 0: that of the host. */
  readonly width?: number
  /** The language of the host. */
  readonly locale?: string
  /** The display mode that views start in, if the host has it. */
  readonly mode?: 'inline' | 'fullscreen' | 'pip'
}

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
  /** True if the view tried to show another page in its own frame. */
  readonly isNavigation?: boolean
}
