/** Finds out what is wrong with a server, its sign-in and its tools, and compares servers. Needs Node. @module */

export { diagnose } from '../inspector/doctor/diagnose.ts'
export {
  DIAGNOSIS_STEPS,
  type DiagnoseOptions,
  type Diagnosis,
  type DiagnosisEvent,
  type DiagnosisProblem,
  type DiagnosisStepId,
  type Evidence,
  type StepResult,
  type StepVerdict,
} from '../inspector/doctor/types.ts'
export type { Finding } from '../inspector/quality/finding.ts'
export {
  type InventoryOptions,
  type InventoryResult,
  type ListFailure,
  readInventory,
  type ServerInventory,
} from '../inspector/quality/inventory.ts'
export { type LintResult, lint } from '../inspector/quality/lint.ts'
export { estimateToolTokens, type ToolTokens } from '../inspector/quality/tokens.ts'
