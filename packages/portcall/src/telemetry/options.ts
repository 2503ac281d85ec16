import type { Attributes, MeterProvider, TracerProvider } from '@opentelemetry/api'
import type { OptionNames } from '../../../util/src/check-options.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'

/** The kind of a recorded value. */
export type RecordedValue = 'arguments' | 'result'

/** Options of the OpenTelemetry middleware. */
export interface TelemetryOptions {
  /** Records the arguments of tool calls and prompts in spans. They may contain personal data. Default: false. */
  readonly recordArguments?: boolean
  /** Records the results of tool calls in spans. They may contain personal data. Default: false. */
  readonly recordResults?: boolean
  /** Returns what is recorded of arguments and results. Default: `redactSecrets()`, which removes passwords, keys and tokens. */
  readonly redact?: (value: unknown, kind: RecordedValue, request: Request) => unknown
  /** Returns further attributes of the span of a request. */
  readonly attributes?: (request: Request, context: ExchangeContext) => Attributes
  /** Creates the spans. Default: the global provider. */
  readonly tracerProvider?: TracerProvider
  /** Creates the metrics. Default: the global provider. */
  readonly meterProvider?: MeterProvider
}

/** Options of `clientTelemetry`. */
export interface ClientTelemetryOptions extends TelemetryOptions {
  /**
   * Also sends the trace context in the headers of HTTP requests, for proxies that know only those. Omit it where the HTTP client is instrumented
   * already. Default: false.
   */
  readonly httpHeaders?: boolean
}

/** The names of the options of the OpenTelemetry middleware. */
export const TELEMETRY_NAMES: OptionNames<TelemetryOptions> = {
  recordArguments: 'boolean',
  recordResults: 'boolean',
  redact: 'function',
  attributes: 'function',
  tracerProvider: 'object',
  meterProvider: 'object',
}

/** The names of the options of `clientTelemetry` and `gatewayTelemetry`. */
export const CLIENT_TELEMETRY_NAMES: OptionNames<ClientTelemetryOptions> = { ...TELEMETRY_NAMES, httpHeaders: 'boolean' }
