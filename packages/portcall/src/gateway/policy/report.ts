import type { Request } from '../../jsonrpc/message.ts'
import type { GatewayItem } from './types.ts'

/** The decision of a policy about a request. */
export type PolicyOutcome =
  | 'allowed'
  /** As if the item did not exist, or because of its arguments. */
  | 'denied'
  /** An approval was requested. */
  | 'asked'
  /** There is an approval. */
  | 'approved'
  /** The user or the approver declined. */
  | 'declined'
  /** The approval cannot be requested, has expired or was used. */
  | 'refused'
  /** The definition of the item is not the pinned one. */
  | 'withheld'

/** A decision of a policy. */
export interface PolicyReport {
  /** The request that was decided. */
  readonly request: Request
  /** The item that is requested. */
  readonly item: GatewayItem
  /** The decision. */
  readonly outcome: PolicyOutcome
  /** The rule that decided. */
  readonly rule?: string | undefined
}

/** Receives the decisions of a policy. */
export type OnPolicyReport = (report: PolicyReport) => void
