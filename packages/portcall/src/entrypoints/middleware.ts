/** Ready-made middleware for servers, gateways and clients: `server.use(rateLimit({ limit: 60 }))`. @module */

export type { ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
export type { Request, Response } from '../jsonrpc/message.ts'
export { type RedactionOptions, redactSecrets } from '../logging/redact.ts'
export { type AuditLogOptions, auditLog } from '../middleware/audit/audit-log.ts'
export { createStoredAuditLog, type StoredAuditLog, type StoredAuditLogOptions } from '../middleware/audit/stored-audit-log.ts'
export {
  type AuditSink,
  type AuditTrail,
  type AuditVerdict,
  type AuditVerification,
  createAuditTrail,
  verifyAuditLog,
} from '../middleware/audit/trail.ts'
export { type ConcurrencyLimit, type ConcurrencyLimitOptions, concurrencyLimit } from '../middleware/concurrency-limit.ts'
export { type IdempotencyOptions, idempotency } from '../middleware/idempotency.ts'
export { idempotencyKey } from '../middleware/idempotency-key.ts'
export { type AddressKeyOptions, byAddress } from '../middleware/keys.ts'
export { type RateLimitOptions, rateLimit } from '../middleware/rate-limit.ts'
export { type ResultRedactionOptions, redactResults } from '../middleware/redaction.ts'
export { type ResultCacheOptions, resultCache } from '../middleware/result-cache.ts'
export { type ResultSizeLimitOptions, resultSizeLimit } from '../middleware/result-size-limit.ts'
export { type RetryOptions, retry } from '../middleware/retry.ts'
export type { RequestSelection } from '../middleware/selection.ts'
export { type TimeLimitOptions, timeLimit } from '../middleware/time-limit.ts'
export type { KeyValueStore } from '../stores/store.ts'
