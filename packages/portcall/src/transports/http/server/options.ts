import { checkOptions, type OptionNames } from '../../../../../util/src/check-options.ts'
import type { Request } from '../../../jsonrpc/message.ts'
import type { Authenticate, InsufficientScopeHeaders, OnRequest, PublicDocuments } from '../../../protocol/http.ts'
import type { MethodLookup } from '../../../protocol/methods.ts'
import type { CardOptions, CatalogOptions } from '../../../protocol/server-card.ts'
import type { EventLog } from '../../../stores/log.ts'
import type { Stores } from '../../../stores/stores.ts'
import type { HostCheckOptions } from './host-check.ts'
import { HTTP_LIMITS, type HttpLimits } from './limits.ts'

/** Options of an HTTP endpoint; each limit is an option too. */
export interface HttpOptions extends Partial<HttpLimits>, HostCheckOptions {
  /** The path of the endpoint; other paths get 404. `/mcp/*` stands for `/mcp` and all paths below. Default: every path. */
  readonly path?: string
  /**
   * The URL by which clients reach the endpoint, such as `https://api.example.com/mcp`: proxies may have another host and path. Server cards name
   * it. Default: the host that a request was sent to, which is in `allowedHosts`, over https unless it is this machine, and `path`.
   */
  readonly publicUrl?: string
  /**
   * Serves a server card at `path` with `/server-card`, and a catalog that names it at `/.well-known/ai-catalog.json`: clients that know only
   * your domain find the server by them. Both are public. Default: false.
   */
  readonly card?: boolean | CardOptions
  /**
   * How clients of the legacy revisions are served: with sessions, which elicitation, sampling and resumable streams need; stateless; or not
   * at all. Default: `sessions`.
   */
  readonly legacy?: 'sessions' | 'stateless' | 'off'
  /** Identifies the caller of each request, or refuses it. Default: callers are not authenticated. */
  readonly authenticate?: Authenticate
  /** Called first for every request that passed the `Host` and `Origin` check. */
  readonly onRequest?: OnRequest
  /** Called if a caller lacks scopes that a tool, resource or prompt requires. */
  readonly insufficientScopeHeaders?: InsufficientScopeHeaders
  /** Where events are stored for resumption; `null` disables it. Default: in memory. */
  readonly eventLog?: EventLog | null
  /** Looks up how a method is routed. Default: the methods of the protocol and those that the server adds. */
  readonly methodOf?: MethodLookup
  /** Parses the JSON of a body; throw an RpcError to refuse it. Default: `JSON.parse`. */
  readonly parseJson?: (text: string) => unknown
  /** Stores sessions and their events, so that several processes serve them and take over when one fails. */
  readonly stores?: Omit<Stores, 'close'>
  /**
   * With `stores`: reports whether a request may run again after the process that ran it failed. Otherwise such a request fails.
   * Default: never.
   */
  readonly isIdempotent?: (request: Request) => boolean
  /** Receives internal errors; clients only get "Internal error", with the reference if a string is returned. Default: those of the server. */
  readonly onError?: (error: unknown) => unknown
}

/** The options of an endpoint, as those that serve one pass them on. */
export interface EndpointOptions extends HttpOptions {
  /** Finds the documents that everybody may read, before `Origin` and caller are checked. */
  readonly publicDocuments?: PublicDocuments | undefined
}

/** The names of the options of an HTTP endpoint. */
export const HTTP_OPTION_NAMES: OptionNames<HttpOptions> = {
  allowedHosts: 1,
  allowedOrigins: 1,
  path: 'text',
  publicUrl: 'text',
  card: 1,
  legacy: 1,
  authenticate: 1,
  onRequest: 1,
  insufficientScopeHeaders: 1,
  eventLog: 1,
  methodOf: 1,
  parseJson: 1,
  stores: 1,
  isIdempotent: 1,
  onError: 1,
  ...HTTP_LIMITS,
}

const PROTECTION = 'Spread the options that protect(…) returns: { ...protect(…) }'
const ADVICE = {
  auth: PROTECTION,
  protect: PROTECTION,
  cors: 'Use "allowedOrigins"',
  hostname: 'Use "host"',
  endpoint: 'Use "path"',
  onEvent: 'It is an option of createServer()',
}

const CARD: OptionNames<CardOptions> = {
  name: 'text',
  description: 'text',
  repository: 'object',
  headers: 'array',
  meta: 'object',
  catalog: 1,
  profile: ['spec', 'compatible'],
  cacheTtlMs: 1,
}
const CATALOG: OptionNames<CatalogOptions> = { host: 'object', entries: 'array or function' }
const SERVER_INFO = 'It is a part of the information that createServer() takes'
const CARD_ADVICE = {
  url: 'Pass "publicUrl" beside "card"',
  title: SERVER_INFO,
  version: SERVER_INFO,
  icons: SERVER_INFO,
  websiteUrl: SERVER_INFO,
}

/** Checks the options of a function that serves a server over HTTP. @throws TypeError. */
export function checkHttpOptions(where: string, options: unknown, names: object = HTTP_OPTION_NAMES): void {
  checkOptions(where, options, { names, advice: ADVICE })
  const { card } = options as HttpOptions
  if (card === undefined || typeof card === 'boolean') return
  checkOptions(`${where}: card`, card, { names: CARD, advice: CARD_ADVICE })
  if (card.catalog) checkOptions(`${where}: card.catalog`, card.catalog, { names: CATALOG })
}

/** The members of a server that determine options of its endpoint. */
export interface HttpOptionsSource {
  readonly methodOf?: HttpOptions['methodOf']
  readonly parseJson?: HttpOptions['parseJson']
  readonly reportError?: HttpOptions['onError']
  readonly stores?: HttpOptions['stores'] | undefined
  readonly isIdempotent?: HttpOptions['isIdempotent']
}

/** Returns the options that a server determines; `options` override them. */
export function httpOptionsOf(
  { methodOf, parseJson, reportError, stores, isIdempotent }: HttpOptionsSource,
  options: HttpOptions,
): HttpOptions {
  return {
    ...(methodOf && { methodOf }),
    ...(parseJson && { parseJson }),
    ...(reportError && { onError: reportError }),
    ...(stores && { stores }),
    ...(isIdempotent && { isIdempotent }),
    ...options,
  }
}
