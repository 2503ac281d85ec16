import prometheus, { type Registry } from 'prom-client'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import { DURATION_BUCKETS } from '../duration-buckets.ts'
import { createKnownNames } from '../known-names.ts'
import { metaOf, type Outcome, operationOf, originOf, outcomeOf, thrownOutcome } from '../operation.ts'

const LABELS = [
  'mcp_method_name',
  'gen_ai_tool_name',
  'gen_ai_prompt_name',
  'error_type',
  'mcp_protocol_version',
  'network_transport',
] as const

const TRANSPORTS = { http: 'tcp', stdio: 'pipe', memory: '' } as const

/**
 * Creates middleware that measures requests. The metric is that of the OpenTelemetry conventions for MCP, under the name that exporters to
 * Prometheus give it, so that dashboards fit both.
 */
export function createRequestMetrics(registry: Registry): Middleware {
  const histogram = new prometheus.Histogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'MCP request duration as observed on the receiver from the time it was received until the result is sent.',
    labelNames: LABELS,
    buckets: [...DURATION_BUCKETS],
    registers: [registry],
  })
  const inProgress = new prometheus.Gauge({
    name: 'portcall_requests_in_progress',
    help: 'MCP requests that are being answered, over every transport.',
    registers: [registry],
  })
  const names = createKnownNames()
  return async (request, context, next) => {
    const startedAt = performance.now()
    const measure = (outcome: Outcome): void => {
      inProgress.dec()
      const { method, kind, target = '' } = names.limit(operationOf(request), outcome)
      const { protocolVersion, transport } = originOf(metaOf(request), context)
      const labels = {
        mcp_method_name: method,
        gen_ai_tool_name: kind === 'tool' ? target : '',
        gen_ai_prompt_name: kind === 'prompt' ? target : '',
        error_type: outcome.errorType ?? '',
        mcp_protocol_version: protocolVersion,
        network_transport: TRANSPORTS[transport],
      }
      histogram.observe(labels, (performance.now() - startedAt) / 1000)
    }
    inProgress.inc()
    try {
      const response = await next(request, context)
      measure(outcomeOf(response))
      return response
    } catch (error) {
      measure(thrownOutcome(error))
      throw error
    }
  }
}
