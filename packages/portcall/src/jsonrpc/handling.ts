/**
 * How far a request has come. Middleware that keeps outcomes puts one into the context, to tell a request that was refused from one that had
 * an effect.
 */
export interface Handling {
  /**
   * `unknown`: no server has reported anything. `received`: a server has the request, and would report the start. `started`: the handler has
   * started, or the request was sent to another server.
   */
  state: 'unknown' | 'received' | 'started'
}

/** Reports how far a request has come, if middleware asks. */
export function reportHandling({ handling }: { readonly handling?: Handling | undefined }, state: Handling['state']): void {
  if (handling) handling.state = state
}
