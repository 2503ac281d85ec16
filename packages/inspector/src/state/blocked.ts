import type { BlockedByPolicy } from './protocol.ts'

const listeners = new Map<string, (violation: BlockedByPolicy) => void>()

/** Calls the listener with what the policy of a view blocks. Returns a function that ends it. */
export function onBlocked(viewId: string, listener: (violation: BlockedByPolicy) => void): () => void {
  listeners.set(viewId, listener)
  return () => void listeners.delete(viewId)
}

/** Passes on what the policy of a view blocked. */
export const reportBlocked = (viewId: string, violation: BlockedByPolicy): void => listeners.get(viewId)?.(violation)
