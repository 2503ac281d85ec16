/** The findings about a view that was shown. */
import { adviceOf } from '../../diagnostics/quality/advice.ts'
import type { Finding } from '../../diagnostics/quality/finding.ts'

/** A fault of a view. Rules that `portcall check` has too have the same names. */
export type ViewFinding = Pick<Finding, 'level' | 'rule' | 'message' | 'advice'>

/** Creates a finding, with the advice of its rule. */
export function viewFinding(level: ViewFinding['level'], rule: string, message: string): ViewFinding {
  return { level, rule, message, advice: adviceOf(rule) }
}
