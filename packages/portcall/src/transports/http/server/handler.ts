/** One HTTP endpoint for clients of all revisions. It is independent of the runtime: `node/` and `fetch.ts` adapt it. */

import { LinkedSet } from '../../../../../util/src/linked-set.ts'
import { pathOf } from '../../../../../util/src/request-target.ts'
import { createTurns } from '../../../../../util/src/turns.ts'
import { ErrorCode } from '../../../jsonrpc/errors.ts'
import type { Exchange } from '../../../jsonrpc/exchange.ts'
import { classify, exceedsDepth } from '../../../jsonrpc/message.ts'
import type { RequestBody } from '../../../protocol/http.ts'
import { isModern } from '../../../protocol/meta.ts'
import { methodOf as coreMethodOf } from '../../../protocol/methods.ts'
import { revisionOf } from '../../../protocol/revisions.ts'
import { EMPTY_HEADERS, Header } from '../common/headers.ts'
import { DEFAULT_ACCEPT, isJson, JSON_TYPE, parseAccept } from '../common/media-types.ts'
import { createCors } from './cors.ts'
import { allowEveryOriginForDocuments, createDocumentHook } from './document-hook.ts'
import type { Abortable, HttpEndpoint, LongLivedStream } from './endpoint.ts'
import { createHostCheck } from './host-check.ts'
import { HttpError, httpError, sendError, toHttpError, wrongPathError } from './http-error.ts'
import { createLegacyHandler } from './legacy-handler.ts'
import { DRAIN_TIMEOUT_MS, type HttpLimits, resolveHttpLimits } from './limits.ts'
import { createModernHandler, type ModernHandler } from './modern.ts'
import { createOpenStreams } from './open-streams.ts'
import type { EndpointOptions, HttpOptions } from './options.ts'
import { createRequestHook } from './request-hook.ts'
import type { HttpContext, HttpHandler, LegacyHandler } from './types.ts'

/** Serves an Exchange at one HTTP endpoint. */
export function createHttpHandler(exchange: Exchange, options: EndpointOptions = {}): HttpHandler {
  const endpoint = createEndpoint(exchange, options)
  const { limits } = endpoint
  const handlers: EraHandlers = {
    endpoint,
    modern: createModernHandler(endpoint),
    legacy: createLegacyHandler(endpoint, options),
  }
  const cors = createCors(options)
  const checkHost = allowEveryOriginForDocuments(createHostCheck(options), options)
  const answeredByHook = createDocumentHook(options, createRequestHook(options, cors))
  const { authenticate } = options
  const enter = createShares(limits)
  let active = 0
  /** The streams among them. They have limits of their own. */
  let openStreams = 0
  let draining = false
  let onIdle: (() => void) | undefined
  const checkIdle = (): void => {
    if (active === 0) onIdle?.()
  }
  const endStream = (): void => {
    active--
    openStreams--
    checkIdle()
  }
  const count = (stream: LongLivedStream): void => {
    active++
    openStreams++
    void stream.closed.then(endStream)
  }

  return {
    limits,
    async handle(context) {
      if (cors) context.commonHeaders = cors.headersFor(context)
      if (draining || active - openStreams >= limits.maxRequests) return sendError(context, unavailable(draining))
      active++
      let leave: (() => void) | undefined
      try {
        checkHost(context)
        if (context.target.length > limits.maxTargetBytes) throw httpError(414, 'The request target is too long')
        if (answeredByHook && (await answeredByHook(context))) return
        const route = findRoute(context, options.path)
        if (authenticate) {
          context.auth = await authenticate(context)
          leave = enter(context.auth?.principal)
        }
        const stream = await route(context, handlers)
        if (stream) count(stream)
      } catch (error) {
        sendError(context, toHttpError(error, endpoint.onError))
      } finally {
        active--
        leave?.()
        if (draining) checkIdle()
      }
    },
    sizes: () => ({
      sessions: handlers.legacy?.sessionCount() ?? 0,
      requests: active,
      streams: endpoint.streams.size,
      bufferedBytes: endpoint.streams.bufferedBytes,
    }),
    async close(drainTimeoutMs = DRAIN_TIMEOUT_MS) {
      draining = true
      handlers.legacy?.drain()
      if (active > 0)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, drainTimeoutMs)
          onIdle = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      for (const call of endpoint.running.items()) call.abort(new DOMException('The server is shutting down', 'AbortError'))
      await handlers.legacy?.close()
      endpoint.streams.destroyAll()
    },
  }
}

/** Returns what counts a request for its principal, and returns what ends it. It @throws HttpError 429 if the principal has too many. */
function createShares({
  maxRequests: limit,
  maxPrincipalRequests: maxOwned,
}: HttpLimits): (owner: string | undefined) => () => void {
  const turns = createTurns({ limit, maxOwned })
  return (owner) => {
    if (turns.begin({}, owner) !== true)
      throw httpError(429, 'Too many concurrent requests of this caller', { 'retry-after': '1' })
    return () => turns.end(owner)
  }
}

function unavailable(isDraining: boolean): HttpError {
  const headers = { 'retry-after': '1' }
  return isDraining
    ? httpError(503, 'The server is shutting down', { ...headers, connection: 'close' })
    : httpError(503, 'Too many concurrent requests', headers)
}

function createEndpoint(exchange: Exchange, options: HttpOptions): HttpEndpoint {
  const limits = resolveHttpLimits(options)
  const { onError = () => {}, insufficientScopeHeaders, methodOf = coreMethodOf, parseJson = JSON.parse } = options
  const shared = { streams: createOpenStreams(limits), running: new LinkedSet<Abortable>() }
  return { exchange, methodOf, parseJson, limits, ...shared, onError, insufficientScopeHeaders }
}

interface EraHandlers {
  readonly endpoint: HttpEndpoint
  readonly modern: ModernHandler
  /** Undefined if the endpoint refuses legacy clients. */
  readonly legacy: LegacyHandler | undefined
}

type Route = (context: HttpContext, handlers: EraHandlers) => Promise<LongLivedStream | void> | void

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['POST', post],
  ['GET', (context, { legacy }) => requireLegacy(legacy, context).get(context)],
  ['DELETE', (context, { legacy }) => requireLegacy(legacy, context).delete(context)],
])
const ALLOWED_METHODS = [...ROUTES.keys()].join(', ')

/** Returns the route of a request, and reads which response formats the client accepts. @throws HttpError 404 or 405. */
function findRoute(context: HttpContext, path: string | undefined): Route {
  const { target, method } = context
  if (path !== undefined && target !== path && !matchesPath(pathOf(target), path)) throw wrongPathError(path.replace(/\/\*$/, ''))
  const route = ROUTES.get(method)
  if (!route) throw httpError(405, 'Method not allowed', { allow: ALLOWED_METHODS })
  const accept = context.header(Header.accept)
  if (accept !== DEFAULT_ACCEPT) context.accepts = parseAccept(accept)
  return route
}

function matchesPath(actual: string, path: string): boolean {
  return actual === path || (path.endsWith('/*') && `${actual}/`.startsWith(path.slice(0, -1)))
}

/** Passes the message of a POST to the handler of its era. */
async function post(context: HttpContext, { endpoint, modern, legacy }: EraHandlers): Promise<LongLivedStream | void> {
  checkBodyHeaders(context)
  const value = parseBody(context.body ?? (await context.readBody()), endpoint)
  const version = context.header(Header.protocolVersion)
  if (Array.isArray(value)) {
    if (!legacy || isModern({}, version)) throw httpError(400, 'Invalid request: the body must be a single message')
    return legacy.batch(value, context)
  }
  const received = classify(value)
  const id = received.kind === 'request' ? received.message.id : received.kind === 'invalid' ? received.id : undefined
  try {
    if (received.kind === 'invalid') throw new HttpError(400, {}, received.error)
    if (legacy && !isModern(received.message as object, version)) await legacy.post(received, context)
    else if (received.kind === 'request') return await modern.serve(received.message, context)
    else if (received.kind === 'notification') context.send(202, EMPTY_HEADERS)
    else throw httpError(400, 'Invalid request: the response matches no request')
  } catch (error) {
    sendError(context, toHttpError(error, endpoint.onError), id)
  }
}

/**
 * Checks the headers that describe the body, and that the client accepts a format of the response.
 *
 * @throws HttpError 406 or 415.
 */
function checkBodyHeaders({ header, accepts }: HttpContext): void {
  const type = header(Header.contentType)
  if (type !== JSON_TYPE && !isJson(type)) throw httpError(415, 'Unsupported media type: send application/json in UTF-8')
  const encoding = header(Header.contentEncoding)
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw httpError(415, 'Unsupported content encoding', { 'accept-encoding': 'identity' })
  if (!accepts.json && !accepts.events) throw httpError(406, 'Not acceptable: accept application/json or text/event-stream')
}

/** Parses the JSON of a body. @throws HttpError 400 if it is not JSON or is nested too deeply; what `parseJson` throws. */
function parseBody(body: RequestBody, { parseJson, limits }: HttpEndpoint): unknown {
  const maxDepth = limits.maxJsonDepth
  if ('parsed' in body) {
    if (isDeeper(body.parsed, maxDepth)) throw tooDeep(maxDepth)
    return body.parsed
  }
  if (exceedsDepth(body.text, maxDepth)) throw tooDeep(maxDepth)
  try {
    return parseJson(body.text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new HttpError(400, {}, { code: ErrorCode.parseError, message: 'Parse error: the body is not JSON' })
  }
}

function tooDeep(maxDepth: number): HttpError {
  return httpError(400, `Invalid request: the body is nested deeper than ${maxDepth} levels`)
}

/** Reports whether a value is nested deeper than `max` levels. */
function isDeeper(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (max === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, max - 1))
  // `for in` allocates nothing. Each call through a framework comes through here.
  for (const name in value) if (isDeeper((value as { readonly [name: string]: unknown })[name], max - 1)) return true
  return false
}

/** Returns the handler for methods of the legacy era only. @throws HttpError 405 for modern clients, 400 for an unknown version. */
function requireLegacy(legacy: LegacyHandler | undefined, context: HttpContext): LegacyHandler {
  const version = context.header(Header.protocolVersion)
  const era = version === undefined ? 'legacy' : revisionOf(version)?.era
  if (!legacy || era === 'modern') throw httpError(405, 'Method not allowed', { allow: 'POST' })
  if (!era) throw httpError(400, 'Unsupported protocol version')
  return legacy
}
