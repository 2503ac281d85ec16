/** Traces and metrics with OpenTelemetry. It needs the package `@opentelemetry/api`. @module */

export type { InputMiddleware, ReceivedInputRequest } from '../client/input-requests.ts'
export type { ExchangeContext, Middleware, ServerDescription } from '../jsonrpc/exchange.ts'
export type { Request } from '../jsonrpc/message.ts'
export type { EndpointObserver, EndpointSizes } from '../protocol/metrics.ts'
export { type ClientTelemetry, clientTelemetry } from '../telemetry/client.ts'
export { type GatewayTelemetry, gatewayTelemetry } from '../telemetry/gateway.ts'
export type { ClientTelemetryOptions, RecordedValue, TelemetryOptions } from '../telemetry/options.ts'
export type { ReadQueueSize } from '../telemetry/queue-sizes.ts'
export { serverTelemetry } from '../telemetry/server.ts'
export { type SizeTelemetry, type SizeTelemetryOptions, sizeTelemetry } from '../telemetry/sizes.ts'
export { taskTelemetry } from '../telemetry/tasks.ts'
