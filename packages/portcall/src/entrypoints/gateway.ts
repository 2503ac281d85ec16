/** Gateways: many servers as one, and one server for every client, whatever the transport and the revision. @module */
export type { ConnectTarget, InProcessTarget, StdioTarget } from '../connect/target.ts'
export { type BridgeOptions, bridge } from '../gateway/bridge.ts'
export { UpstreamUnavailableError, UserInputRequiredError } from '../gateway/errors.ts'
export type { CallEvent, CallOutcome, GatewayEvent, OnGatewayEvent, UpstreamEvent } from '../gateway/events.ts'
export { createGateway, type Gateway } from '../gateway/gateway.ts'
export type {
  CredentialsProvider,
  CredentialsRequest,
  GatewayNameOptions,
  GatewayOptions,
  GatewayServerOptions,
  GatewayServers,
  ItemRules,
  UpstreamCredentials,
} from '../gateway/options.ts'
export type { GatewayCall, GatewayCaller, GatewayItem, GatewayPolicy, ItemKind, PolicyDecision } from '../gateway/policy.ts'
export type { GatewayStatus, UpstreamState, UpstreamStatus } from '../gateway/status.ts'
