/** The messages between a supervisor and its workers. They have a member of their own, because programs may send messages too. */

/** Sent by the supervisor. A connection is accompanied by its socket. */
export type SupervisorMessage =
  | { readonly portcall: 'connection'; readonly id: number }
  | { readonly portcall: 'stop-readiness' }
  | { readonly portcall: 'take-snapshot'; readonly id: number }
  | { readonly portcall: 'all-snapshots'; readonly id: number; readonly snapshots: readonly unknown[] }
  | { readonly portcall: 'close' }

/**
 * Sent by a worker. `accepted` is sent before anything is read from a connection, so that a connection which was not accepted can be passed
 * to another worker. A worker that is asked for its metrics collects the snapshots of all.
 */
export type WorkerMessage =
  | { readonly portcall: 'ready' }
  | { readonly portcall: 'accepted'; readonly id: number }
  | { readonly portcall: 'closing' }
  | { readonly portcall: 'snapshot'; readonly id: number; readonly snapshot: unknown }
  | { readonly portcall: 'collect-snapshots'; readonly id: number }

/** Reports whether a message is one of these. */
export const isClusterMessage = (message: unknown): message is SupervisorMessage | WorkerMessage =>
  typeof message === 'object' && message !== null && 'portcall' in message
