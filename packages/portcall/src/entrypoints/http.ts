/**
 * Servers over HTTP with `Request` and `Response`: Bun, Deno, Workers, Hono, Next.js and others. Also the types that all HTTP servers share,
 * those of `portcall/node` included.
 *
 * @module
 */
export type {
  Authenticate,
  HookRequest,
  HookResponse,
  InsufficientScopeHeaders,
  OnRequest,
  RequestBody,
  RequestHead,
} from '../protocol/http.ts'
export type {
  AiCatalog,
  CardHeader,
  CardInput,
  CardOptions,
  CardRepository,
  CatalogEntry,
  CatalogOptions,
} from '../protocol/server-card.ts'
export { httpHandler } from '../serve/http.ts'
export type { FetchHandler } from '../transports/http/server/fetch.ts'
export { insecureAnyHost, insecureAnyOrigin } from '../transports/http/server/host-check.ts'
export { HttpError } from '../transports/http/server/http-error.ts'
export type { HttpLimits } from '../transports/http/server/limits.ts'
export type { HttpOptions } from '../transports/http/server/options.ts'
