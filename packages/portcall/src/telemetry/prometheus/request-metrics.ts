import prometheus, { type Registry } from 'prom-client'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import { markRecording } from '../../jsonrpc/recording.ts'
import { answeredOutcome, metaOf, operationOf, originOf, type RequestOrigin } from '../../logging/operation.ts'
import { DURATION_BUCKETS } from '../duration-buckets.ts'
import { createKnownNames } from '../known-names.ts'
import { measureSession } from '../session-durations.ts'
import { createMeasuringMiddleware } from './measure.ts'

const CONNECTION_LABELS = ['mcp_protocol_version', 'network_transport'] as const
const OPERATION_LABELS = [
  'mcp_method_name',
  'gen_ai_tool_name',
  'gen_ai_prompt_name',
  'error_type',
  'rpc_response_status_code',
] as const

const TRANSPORTS = { http: 'tcp', stdio: 'pipe', memory: '' } as const

const connectionLabels = ({ protocolVersion, transport }: RequestOrigin) => ({
  mcp_protocol_version: protocolVersion,
  network_transport: TRANSPORTS[transport],
})

/**
 * Creates middleware that measures requests and sessions. The metrics are those of the OpenTelemetry conventions for MCP, under the names that
 * exporters to Prometheus give them, so that dashboards fit both.
 */
export function createRequestMetrics(registry: Registry): Middleware {
  const common = { buckets: [...DURATION_BUCKETS], registers: [registry] }
  const operations = new prometheus.Histogram({
    ...common,
    name: 'mcp_server_operation_duration_seconds',
    help: 'MCP request duration as observed on the receiver from the time it was received until the result is sent.',
    labelNames: [...OPERATION_LABELS, ...CONNECTION_LABELS],
  })
  const sessions = new prometheus.Histogram({
    ...common,
    name: 'mcp_server_session_duration_seconds',
    help: 'The duration of the MCP session as observed on the MCP server.',
    labelNames: CONNECTION_LABELS,
  })
  const inProgress = new prometheus.Gauge({
    name: 'portcall_requests_in_progress',
    help: 'MCP requests that are being answered, over every transport.',
    registers: [registry],
  })
  const names = createKnownNames()
  const measure = createMeasuringMiddleware(inProgress, ({ request, context, outcome, seconds }) => {
    measureSession(request, context, (duration, origin) => sessions.observe(connectionLabels(origin), duration))
    const { method, kind, target = '' } = names.limit(operationOf(request), outcome)
    const labels = {
      mcp_method_name: method,
      gen_ai_tool_name: kind === 'tool' ? target : '',
      gen_ai_prompt_name: kind === 'prompt' ? target : '',
      error_type: answeredOutcome(outcome).errorType ?? '',
      rpc_response_status_code: outcome.code ?? '',
      ...connectionLabels(originOf(metaOf(request), context)),
    }
    operations.observe(labels, seconds)
  })
  return markRecording(measure, { name: 'metrics.middleware', target: registry })
}
