/** The messages between a supervisor and its workers. They have a member of their own, because programs may send messages too. */

/** Sent by the supervisor. A connection is accompanied by its socket. */
export type SupervisorMessage =
  | { readonly portcall: 'connection'; readonly id: number }
  | { readonly portcall: 'stop-readiness' }
  | { readonly portcall: 'close' }

/**
 * Sent by a worker. `accepted` is sent before anything is read from a connection, so that a connection which was not accepted can be passed
 * to another worker.
 */
export type WorkerMessage =
  | { readonly portcall: 'ready' }
  | { readonly portcall: 'accepted'; readonly id: number }
  | { readonly portcall: 'closing' }

/** Reports whether a message is one of these. */
export const isClusterMessage = (message: unknown): message is SupervisorMessage | WorkerMessage =>
  typeof message === 'object' && message !== null && 'portcall' in message
