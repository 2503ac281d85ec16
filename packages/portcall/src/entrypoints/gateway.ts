/** Gateways put many servers behind one endpoint; bridges connect a server to clients of another transport or protocol version. @module */

export { ConfigError } from '../connect/config/errors.ts'
export type { ReadConfigOptions, ServerConfig } from '../connect/config/types.ts'
export type { ConnectTarget, InProcessTarget, StdioTarget } from '../connect/target.ts'
export { type AcceptedPins, type AcceptPinsOptions, acceptPins } from '../gateway/admin/accept-pins.ts'
export { UpstreamUnavailableError, UserInputRequiredError } from '../gateway/api/errors.ts'
export type {
  CallEvent,
  CallOutcome,
  DisconnectedEvent,
  GatewayErrorEvent,
  GatewayEvent,
  GatewayWarningEvent,
  ItemDroppedEvent,
  OnGatewayEvent,
  StderrEvent,
  UpstreamEvent,
} from '../gateway/api/events.ts'
export type {
  BridgeOptions,
  CredentialsProvider,
  CredentialsRequest,
  GatewayNameOptions,
  GatewayOptions,
  GatewayServerOptions,
  GatewayServers,
  ItemRules,
  ListStore,
  UpstreamCredentials,
} from '../gateway/api/options.ts'
export type { GatewayStatus, UpstreamState, UpstreamStatus } from '../gateway/api/status.ts'
export { bridge } from '../gateway/bridge.ts'
export { claudeChannel } from '../gateway/channel/claude-channel.ts'
export type { ChannelSubscription, ClaudeChannelOptions } from '../gateway/channel/types.ts'
export type { GatewayAccountSettings, GatewayLoginSettings, GatewayServerAuth } from '../gateway/config/access-settings.ts'
export {
  type ConfiguredPolicies,
  createConfiguredPolicies,
  pinOptionsOf,
} from '../gateway/config/configured-policies.ts'
export type {
  GatewayApprovalSettings,
  GatewayAuditSettings,
  GatewayPinSettings,
  GatewayPolicySettings,
  GatewayRuleSettings,
  PolicyContext,
} from '../gateway/config/policy-settings.ts'
export { type ReadGatewayConfigOptions, readGatewayConfig } from '../gateway/config/read-gateway-config.ts'
export type {
  GatewayAdminSettings,
  GatewayApiKey,
  GatewayAuthSettings,
  GatewayConfig,
  GatewayEventWebhookSettings,
  GatewayIssuer,
  GatewayListenSettings,
  GatewaySettings,
} from '../gateway/config/types.ts'
export {
  type AccountServerOptions,
  type IdentifyBrowser,
  insecureAnyBrowser,
  type UserAccounts,
  type UserAccountsOptions,
} from '../gateway/credentials/account-options.ts'
export { type BrowserLoginOptions, browserLogin } from '../gateway/credentials/browser-login.ts'
export {
  type CallerIdentity,
  type CallerIdentityOptions,
  callerIdentity,
} from '../gateway/credentials/caller-identity.ts'
export { userAccounts } from '../gateway/credentials/user-accounts.ts'
export { createGateway, type Gateway } from '../gateway/gateway.ts'
export { type DescribedServers, gatewayEntries } from '../gateway/lists/gateway-entries.ts'
export type { ServerItem } from '../gateway/lists/server-items.ts'
export { type AccessRulesOptions, accessRules } from '../gateway/policy/access-rules.ts'
export {
  type ApprovalDecision,
  type ApprovalQueue,
  type ApprovalQueueOptions,
  type ApprovalRequest,
  type ApprovalState,
  type Approver,
  createApprovalQueue,
  type QueuedApproval,
} from '../gateway/policy/approval-queue.ts'
export type { ApprovalOptions } from '../gateway/policy/approvals.ts'
export { type AuditPolicy, type AuditPolicyOptions, auditPolicy } from '../gateway/policy/audit-policy.ts'
export { type CallLimit, type CallLimitsOptions, callLimits, type LimitKey } from '../gateway/policy/call-limits.ts'
export {
  type ChangeSelection,
  type DefinitionPins,
  type DefinitionPinsOptions,
  definitionPins,
} from '../gateway/policy/definition-pins.ts'
export { type DefinitionChange, formatChange } from '../gateway/policy/describe-change.ts'
export {
  type GatewayPolicies,
  type GatewayPoliciesOptions,
  gatewayPolicies,
} from '../gateway/policy/gateway-policies.ts'
export { type NarrowViewsOptions, narrowViews } from '../gateway/policy/narrow-views.ts'
export type { PinnedKind } from '../gateway/policy/pin-lock.ts'
export type { OnPolicyReport, PolicyOutcome, PolicyReport } from '../gateway/policy/report.ts'
export type {
  AccessRule,
  ArgumentCondition,
  CallerCondition,
  ConditionValue,
  HintCondition,
  Patterns,
  RuleAction,
} from '../gateway/policy/rule.ts'
export { type ServerPathsOptions, serverPathOf, serverPaths } from '../gateway/policy/server-paths.ts'
export { type ArgumentChange, type ToolChange, type ToolSetOptions, toolSet } from '../gateway/policy/tool-set.ts'
export { type ToolSetsOptions, toolSets } from '../gateway/policy/tool-sets.ts'
export type {
  GatewayCall,
  GatewayCaller,
  GatewayItem,
  GatewayItemKind,
  GatewayPolicy,
  PolicyDecision,
} from '../gateway/policy/types.ts'
export type { ServerDescription } from '../jsonrpc/exchange.ts'
export type { Logger } from '../logging/logger.ts'
