/** Ready-made middleware for servers and gateways: `server.use(rateLimit({ limit: 60 }))`. @module */

export type { ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
export type { Request, Response } from '../jsonrpc/message.ts'
export { type AuditLogOptions, auditLog } from '../middleware/audit/audit-log.ts'
export { type RedactionOptions, redactSecrets } from '../middleware/audit/redact.ts'
export {
  type AuditSink,
  type AuditTrail,
  type AuditVerdict,
  createAuditTrail,
  verifyAuditLog,
} from '../middleware/audit/trail.ts'
export { type ConcurrencyLimitOptions, concurrencyLimit } from '../middleware/concurrency-limit.ts'
export { type RateLimitOptions, rateLimit } from '../middleware/rate-limit.ts'
export { type ResultSizeLimitOptions, resultSizeLimit } from '../middleware/result-size-limit.ts'
export type { RequestSelection } from '../middleware/selection.ts'
export { type TimeLimitOptions, timeLimit } from '../middleware/time-limit.ts'
export type { KeyValueStore } from '../stores/store.ts'
