import { checkOptions } from '../../../util/src/check-options.ts'
import type { Middleware, ServerDescription } from '../jsonrpc/exchange.ts'
import { Attribute } from './attributes.ts'
import { createClientMiddleware } from './client.ts'
import type { ClientTelemetryOptions } from './options.ts'
import { CLIENT_TELEMETRY_NAMES } from './options.ts'
import { serverTelemetry } from './server.ts'

/** A policy of a gateway that records telemetry. */
export interface GatewayTelemetry {
  /** Records the requests of callers. */
  readonly middleware: readonly Middleware[]
  /** Returns the middleware that records the requests to a server. */
  serverMiddleware(server: string, target?: ServerDescription): readonly Middleware[]
}

/**
 * Creates a policy that records a span and the duration of each request that a gateway receives and of each request that it sends to a server. The
 * trace of the caller continues through the gateway.
 *
 * @example
 * createGateway({ servers, policy: [gatewayTelemetry()] })
 */
export function gatewayTelemetry(options: ClientTelemetryOptions = {}): GatewayTelemetry {
  checkOptions('gatewayTelemetry()', options, { names: CLIENT_TELEMETRY_NAMES })
  return {
    middleware: [serverTelemetry(options)],
    serverMiddleware: (server, target) => [
      createClientMiddleware(options, {
        marksInputRequests: false,
        attributes: { [Attribute.gatewayServer]: server },
        ...(target && { connection: { ...target, protocolVersion: '' } }),
      }),
    ],
  }
}
