/**
 * Marks an `input_required` result whose call is waiting in this process: only this process can continue it. The mark does not appear in
 * messages.
 */
export const LOCAL_STATE: unique symbol = Symbol('local state')
