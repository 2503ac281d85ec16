/** Finds out what is wrong with a server, its sign-in and its tools, and compares servers. Needs Node. @module */

export { estimateToolTokens, estimateTotalTokens, type ToolTokens } from '../compose/tool-tokens.ts'
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
export { type AuthDebugger, createAuthDebugger } from '../inspector/oauth-debugger/auth-debugger.ts'
export type { AuthDebuggerOptions, AuthFlowState, AuthFlowStep, DecodedToken } from '../inspector/oauth-debugger/flow-state.ts'
export {
  AUTH_STEPS,
  type AuthExchange,
  type AuthExchangeResponse,
  type AuthStepId,
  type RuleResult,
  type RuleSection,
} from '../inspector/oauth-debugger/types.ts'
export type { HostEffect, HostProblem, HostVerdict } from '../inspector/protocol/diagnosis.ts'
export type { Finding } from '../inspector/quality/finding.ts'
export type { HostNote } from '../inspector/quality/host-notes.ts'
export {
  type InventoryOptions,
  type InventoryResult,
  type ListFailure,
  readInventory,
  type ServerInventory,
} from '../inspector/quality/inventory.ts'
export { type LintResult, lint } from '../inspector/quality/lint.ts'
export { type CompareOptions, type ComparisonRow, compareSnapshots } from '../inspector/sessions/compare-snapshots.ts'
export { diffJson, type JsonDifference } from '../inspector/sessions/json-diff.ts'
export { type RecordSessionOptions, recordMiddleware } from '../inspector/sessions/record-session.ts'
export { compareRecordings, type ReplayCallsOptions, type ReplayEvent, replayCalls } from '../inspector/sessions/replay.ts'
export type { ResultCondition } from '../inspector/sessions/result-condition.ts'
export {
  type CallFileOutcome,
  type CallInFile,
  readCallFile,
  runCallFile,
} from '../inspector/sessions/saved-call-file.ts'
export { type RecordedServer, serveRecording } from '../inspector/sessions/serve-recording.ts'
export { createSnapshot, readSnapshot, type ServerSnapshot, writeSnapshot } from '../inspector/sessions/snapshot.ts'
export { snapshotOfRecording } from '../inspector/sessions/snapshot-of-recording.ts'
