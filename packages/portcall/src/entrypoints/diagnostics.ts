/** Finds out what is wrong with a server, its sign-in and its tools, and compares servers. Needs Node. @module */

export { estimateToolTokens, estimateTotalTokens, type ToolTokens } from '../compose/tool-tokens.ts'
export {
  type CardComparison,
  type CardFault,
  type CardReport,
  type ExaminedServer,
  examineCard,
} from '../diagnostics/card/examine-card.ts'
export { type CompareOptions, type ComparisonRow, compareSnapshots } from '../diagnostics/compare/compare-snapshots.ts'
export { diffJson, type JsonDifference } from '../diagnostics/compare/json-diff.ts'
export { type RecordSessionOptions, recordMiddleware } from '../diagnostics/compare/record-session.ts'
export { compareRecordings, type ReplayCallsOptions, type ReplayEvent, replayCalls } from '../diagnostics/compare/replay.ts'
export type { ResultCondition } from '../diagnostics/compare/result-condition.ts'
export {
  type CallFileOutcome,
  type CallInFile,
  readCallFile,
  runCallFile,
} from '../diagnostics/compare/saved-call-file.ts'
export { type RecordedServer, serveRecording } from '../diagnostics/compare/serve-recording.ts'
export {
  createSnapshot,
  readSnapshot,
  type ServerSnapshot,
  type SnapshotView,
  writeSnapshot,
} from '../diagnostics/compare/snapshot.ts'
export { snapshotOfRecording } from '../diagnostics/compare/snapshot-of-recording.ts'
export { diagnose } from '../diagnostics/doctor/diagnose.ts'
export {
  DIAGNOSIS_STEPS,
  type DiagnosedEvents,
  type DiagnosedWebhook,
  type DiagnoseOptions,
  type Diagnosis,
  type DiagnosisEvent,
  type DiagnosisProblem,
  type DiagnosisStepId,
  type Evidence,
  type ReceivedEventDelivery,
  type StepResult,
  type StepVerdict,
} from '../diagnostics/doctor/types.ts'
export { type AuthDebugger, createAuthDebugger } from '../diagnostics/oauth-debugger/auth-debugger.ts'
export type { AuthDebuggerOptions, AuthFlowState, AuthFlowStep, DecodedToken } from '../diagnostics/oauth-debugger/flow-state.ts'
export {
  AUTH_STEPS,
  type AuthExchange,
  type AuthExchangeResponse,
  type AuthStepId,
  type RuleResult,
  type RuleSection,
} from '../diagnostics/oauth-debugger/types.ts'
export type { Finding } from '../diagnostics/quality/finding.ts'
export type { HostNote } from '../diagnostics/quality/host-notes.ts'
export type { HostEffect, HostProblem, HostVerdict } from '../diagnostics/quality/host-verdict.ts'
export {
  type InventoryOptions,
  type InventoryResult,
  type ListFailure,
  readInventory,
  type ServerInventory,
} from '../diagnostics/quality/inventory.ts'
export { type LintResult, lint } from '../diagnostics/quality/lint.ts'
export type { LintOptions } from '../diagnostics/quality/views/lint-views.ts'
export type { ReadView } from '../diagnostics/quality/views/read-views.ts'
export { ALL_CAPABILITIES } from '../protocol/all-capabilities.ts'
export { VIEW_CAPABILITIES } from '../protocol/apps.ts'
