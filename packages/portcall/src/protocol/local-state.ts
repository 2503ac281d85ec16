/**
 * Marks an `input_required` result whose call is waiting in this process: only this process can continue it. The mark does not appear in
 * messages. Its value ends the call, if it will not be continued.
 */
export const LOCAL_STATE: unique symbol = Symbol('local state')

/** The member of a result that ends its call, if the call is waiting in this process. */
export interface LocalState {
  readonly [LOCAL_STATE]?: (reason: unknown) => void
}
