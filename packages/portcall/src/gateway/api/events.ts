import type { GatewayItemKind } from '../policy/types.ts'
import type { UpstreamState } from './status.ts'

/** An event of a gateway. Use it for logs, metrics and audits; it never contains arguments, results or credentials. */
export type GatewayEvent =
  | UpstreamEvent
  | DisconnectedEvent
  | CallEvent
  | ItemDroppedEvent
  | StderrEvent
  | GatewayWarningEvent
  | GatewayErrorEvent

/** A connection to a server was lost, for example because its program has exited. The next request opens another one. */
export interface DisconnectedEvent {
  /** The kind of event. */
  readonly type: 'disconnected'
  /** The name of the server. */
  readonly server: string
  /** The reason. */
  readonly error: unknown
}

/** An item of a server's list is left out: it is malformed, or its name is taken. The other items are not affected. */
export interface ItemDroppedEvent {
  /** The kind of event. */
  readonly type: 'item-dropped'
  /** The name of the server. */
  readonly server: string
  /** The kind of item. */
  readonly kind: GatewayItemKind
  /** The name or URI of the item on the server. */
  readonly name: string
  /** The reason why the item is left out. */
  readonly reason: string
}

/** A server writes to stderr. */
export interface StderrEvent {
  /** The kind of event. */
  readonly type: 'stderr'
  /** The name of the server. */
  readonly server: string
  /** The text. */
  readonly text: string
}

/** A problem that the gateway worked around. */
export interface GatewayWarningEvent {
  /** The kind of event. */
  readonly type: 'warning'
  /** The name of the server, if a server has the problem. */
  readonly server?: string
  /** The problem. */
  readonly message: string
}

/** An unexpected error of the gateway itself. */
export interface GatewayErrorEvent {
  /** The kind of event. */
  readonly type: 'error'
  /** The thrown error. */
  readonly error: unknown
  /** The reference that the client gets instead of the error. */
  readonly reference: string
  /** The method of the request. */
  readonly method: string
}

/** The state of a server has changed. */
export interface UpstreamEvent {
  /** The kind of event. */
  readonly type: 'upstream'
  /** The name of the server. */
  readonly server: string
  /** The new state. */
  readonly state: UpstreamState
  /** The reason why the server is not available. */
  readonly error?: unknown
  /** Time of the next attempt, in milliseconds since 1970. */
  readonly nextAttemptAt?: number
}

/** The outcome of a request to a server. */
export type CallOutcome = 'result' | 'tool-error' | 'input-required' | 'error' | 'denied' | 'unavailable' | 'cancelled'

/** A request to a server has ended. */
export interface CallEvent {
  /** The kind of event. */
  readonly type: 'call'
  /** The name of the server. Absent if there is no such item, or the caller may not see it. */
  readonly server?: string
  /** The method, such as `tools/call`. */
  readonly method: string
  /** The name or URI on the server, without the query of a URI; without a server, that of the request. */
  readonly name: string
  /** The caller, if it is authenticated. */
  readonly principal?: string
  /** The outcome. */
  readonly outcome: CallOutcome
  /** The code of the error, if there was one. */
  readonly errorCode?: number
  /** The duration in milliseconds. */
  readonly durationMs: number
}

/** Receives the events of a gateway. What it throws is ignored. */
export type OnGatewayEvent = (event: GatewayEvent) => void
