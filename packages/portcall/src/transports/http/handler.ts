/**
 * One endpoint, from the guard to the era of a message; what comes after is told apart in `modern` and `legacy`. Nothing here knows
 * what carries the bytes: `node` and `fetch` are the two fronts.
 */
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { methodOf as methodOfCore } from '../../protocol/methods.ts'
import { createAside } from './beside.ts'
import { type Cors, createCors } from './cors.ts'
import type { Endpoint, Visit } from './endpoint.ts'
import { createGuard, pathOf } from './guard.ts'
import { Header } from './headers.ts'
import { asHttpError, refuse, sendError } from './http-error.ts'
import { createLegacy } from './legacy.ts'
import { HTTP_LIMITS, type HttpLimits } from './limits.ts'
import { BOTH, readAccept, USUAL_ACCEPT } from './media.ts'
import { createModern } from './modern.ts'
import type { HttpOptions } from './options.ts'
import { VERBS } from './post.ts'
import { createStreams } from './streams.ts'
import { within } from './timing.ts'
import type { HttpHandler, HttpReply, HttpRequest } from './types.ts'

/** How long running requests may take at the end. */
export const DRAIN_MS = 10_000
const RETRY_AFTER = { 'retry-after': '1' }

/** Serves an Exchange at one HTTP endpoint, to clients of every revision. */
export function createHttpHandler(exchange: Exchange, options: HttpOptions = {}): HttpHandler {
  const endpoint = createEndpoint(exchange, options)
  const eras = { modern: createModern(endpoint), legacy: createLegacy(endpoint, options) }
  const cors = createCors(options)
  const enter = createEntrance(endpoint.limits, options, cors)
  let active = 0
  let draining = false
  let onIdle: (() => void) | undefined
  const leave = (): void => {
    if (--active === 0) onIdle?.()
  }

  return {
    async handle(request, plain) {
      const reply = cors ? cors.share(request, plain) : plain
      if (draining) return sendError(reply, refuse(503, 'The server is shutting down', { ...RETRY_AFTER, connection: 'close' }))
      if (active >= endpoint.limits.maxRequests) return sendError(reply, refuse(503, 'Too many requests at once', RETRY_AFTER))
      active++
      try {
        const entering = enter(request, reply)
        const visit = entering instanceof Promise ? await entering : entering
        const lasting = visit && (await VERBS.get(request.method)?.(visit, endpoint, eras))
        if (lasting) {
          active++
          void lasting.end.then(leave)
        }
      } catch (error) {
        sendError(reply, asHttpError(error, endpoint.onError))
      } finally {
        leave()
      }
    },
    async close(drainMs = DRAIN_MS) {
      draining = true
      eras.legacy?.drain()
      if (active > 0) await within(drainMs, (done) => void (onIdle = done))
      for (const call of [...endpoint.running]) call.abort(new DOMException('The server is shutting down', 'AbortError'))
      await eras.legacy?.close()
      endpoint.streams.cut()
    },
  }
}

type Entrance = (request: HttpRequest, reply: HttpReply) => Visit | undefined | Promise<Visit | undefined>

/**
 * Makes the way in, all that is decided before a body is read: guard, size and path of the target, method, and who is calling. Gives nothing
 * when the request was answered beside the endpoint.
 */
function createEntrance(limits: HttpLimits, options: HttpOptions, cors: Cors | undefined): Entrance {
  const guard = createGuard(options)
  const aside = createAside(options, cors)
  const { path, authenticate } = options
  const admit: Entrance = (request, reply) => {
    if (path !== undefined && request.target !== path && pathOf(request.target) !== path)
      throw refuse(404, `Not found: the endpoint is at ${path}`)
    if (!VERBS.has(request.method)) throw refuse(405, 'Method not allowed', { allow: [...VERBS.keys()].join(', ') })
    const accept = request.header(Header.accept)
    const accepted = accept === USUAL_ACCEPT ? BOTH : readAccept(accept)
    if (!authenticate) return { request, reply, accepted, auth: undefined }
    return Promise.resolve(authenticate(request)).then((auth) => ({ request, reply, accepted, auth }))
  }
  return (request, reply) => {
    const refusal = guard(request)
    if (refusal) throw refusal
    if (request.target.length > limits.maxTargetBytes) throw refuse(414, 'The target of the request is too long')
    const answered = aside?.(request, reply)
    if (answered instanceof Promise) return answered.then((done) => (done ? undefined : admit(request, reply)))
    return answered ? undefined : admit(request, reply)
  }
}

function createEndpoint(exchange: Exchange, options: HttpOptions): Endpoint {
  const limits = readLimits(options)
  const { onError = () => {}, challenge, methodOf = methodOfCore } = options
  return { exchange, methodOf, limits, streams: createStreams(limits), running: new Set(), onError, challenge }
}

/** Takes the limits out of options; what is not said, or said to be undefined, has its default. */
export function readLimits(options: HttpOptions): HttpLimits {
  const said = Object.entries(options).filter(([name, value]) => name in HTTP_LIMITS && value !== undefined)
  return { ...HTTP_LIMITS, ...Object.fromEntries(said) }
}
