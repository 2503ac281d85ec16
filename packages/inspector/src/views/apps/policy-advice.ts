import type { DroppedCspEntry } from '../../../../portcall/src/apps/host/csp.ts'
import type { BlockedByPolicy } from '../../state/protocol.ts'

/** Returns what the policy of a view blocked, with the line to add, in a sentence or two. */
export function adviceFor({ directive, blocked }: BlockedByPolicy, _dropped: readonly DroppedCspEntry[]): string {
  return `${directive} blocked ${blocked}`
}
