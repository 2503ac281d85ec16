import type { Request } from '../../jsonrpc/message.ts'
import type { GatewayItem } from './types.ts'

/**
 * What a policy did with a request: `allowed`; `denied`, as if the item did not exist or because of its arguments; `asked`, for an approval;
 * `approved`, because there is one; `declined`, by the user or the approver; `refused`, because the approval cannot be asked for, has expired or
 * was used; `withheld`, because the definition of the item is not the pinned one.
 */
export type PolicyOutcome = 'allowed' | 'denied' | 'asked' | 'approved' | 'declined' | 'refused' | 'withheld'

/** A decision of a policy. */
export interface PolicyReport {
  /** The request that was decided. */
  readonly request: Request
  /** The item that is requested. */
  readonly item: GatewayItem
  /** What the policy did. */
  readonly outcome: PolicyOutcome
  /** The rule that decided. */
  readonly rule?: string | undefined
}

/** Receives the decisions of a policy. */
export type OnPolicyReport = (report: PolicyReport) => void
