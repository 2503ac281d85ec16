/** The admin endpoint of gateways: health, status and control on the loopback interface. @module */
import { assertNodeVersion } from '../../../util/src/assert-node-version.ts'

export {
  AdminActionError,
  type AdminActions,
  type AdminOptions,
  type AdminServer,
  serveAdmin,
} from '../gateway/admin/admin-server.ts'

export { type GatewayMetricsSource, gatewayMetrics, type ServerMetricsSource } from '../gateway/admin/gateway-metrics.ts'
export type { GatewayStatus, UpstreamState, UpstreamStatus } from '../gateway/api/status.ts'
export type { EndpointSizes, MetricsPage } from '../protocol/metrics.ts'

assertNodeVersion()
