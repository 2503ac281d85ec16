import { unref } from '../../../util/src/timers.ts'
import { internalError, RpcError } from '../jsonrpc/errors.ts'
import { applyMiddleware, copySharedResults, type Exchange, type ExchangeContext, type Middleware } from '../jsonrpc/exchange.ts'
import { reportHandling } from '../jsonrpc/handling.ts'
import { isObject, isSuccess, type Request, type Response } from '../jsonrpc/message.ts'
import { isReplaying } from '../jsonrpc/replaying.ts'
import { normalizeViewCapability } from '../protocol/apps.ts'
import { MetaKey, withMeta } from '../protocol/meta.ts'
import type { OnGatewayEvent } from './api/events.ts'
import type { GatewayHandlers } from './handlers.ts'
import { Caller } from './policy/caller.ts'
import { type CombinedPolicies, combinePolicies } from './policy/combine.ts'
import type { GatewayPolicy } from './policy/types.ts'

/** Passes requests through the middleware and the policies to the handlers. */
export interface GatewayDispatcher {
  /** Answers a request. Converts thrown errors to responses, unless the caller has cancelled the request. */
  readonly exchange: Exchange
  /** The policies of requests that arrive now. */
  readonly policies: CombinedPolicies
  /** Replaces the policies, and the middleware if there is any. Requests in flight keep those that they began with. */
  configure(policy: GatewayPolicy | readonly GatewayPolicy[] | undefined, middleware?: readonly Middleware[]): void
  /** Sets the handlers, before the first request. */
  start(handlers: GatewayHandlers): void
  /** Resolves when no request is being answered, or after `timeoutMs`. */
  whenIdle(timeoutMs: number): Promise<void>
}

export function createGatewayDispatcher(onEvent: OnGatewayEvent): GatewayDispatcher {
  let policies = combinePolicies()
  let middleware: readonly Middleware[] = []
  let handlers: GatewayHandlers | undefined
  let answer: Exchange
  let running = 0
  let onIdle: (() => void) | undefined

  const toResponse = (error: unknown, { id, method }: Request, { signal }: ExchangeContext): Response => {
    if (error instanceof RpcError) return error.response(id)
    if (signal.aborted) throw error
    const reference = createReference()
    onEvent({ type: 'error', error, reference, method })
    return internalError(reference).response(id)
  }
  /** Returns the Exchange below the middleware, which may throw synchronously. The policies do not change while it answers a request. */
  const createDispatch =
    (current: CombinedPolicies): Exchange =>
    (request, context) => {
      reportHandling(context, 'received')
      const { byMethod, other } = handlers as GatewayHandlers
      const handler = byMethod.get(request.method) ?? other
      const meta = request.params?._meta as { readonly [key: string]: unknown } | null | undefined
      const declared = meta?.[MetaKey.clientCapabilities] as { readonly extensions?: unknown } | null | undefined
      const received = declared?.extensions === undefined ? request : withNormalViews(request)
      const response = handler({ request: received, context, caller: new Caller(received, context, current) })
      return current.isEmpty ? response : response.then(withoutPublicScope)
    }
  /** Middleware gets responses, also where a handler throws. */
  const withResponses =
    (dispatch: Exchange): Exchange =>
    async (request, context) => {
      try {
        return await dispatch(request, context)
      } catch (error) {
        return toResponse(error, request, context)
      }
    }

  return {
    get policies() {
      return policies
    },
    configure(policy, layers = middleware) {
      const next = combinePolicies(policy, layers)
      const around = [...layers.filter((layer) => !isReplaying(layer)), ...next.list.flatMap((each) => each.middleware ?? [])]
      const dispatch = createDispatch(next)
      answer = around.length === 0 ? dispatch : applyMiddleware(copySharedResults(withResponses(dispatch)), around)
      policies = next
      middleware = layers
    },
    start(created) {
      handlers = created
    },
    async exchange(request, context) {
      running++
      try {
        return await answer(request, context)
      } catch (error) {
        return toResponse(error, request, context)
      } finally {
        if (--running === 0) onIdle?.()
      }
    },
    whenIdle(timeoutMs) {
      if (running === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = unref(setTimeout(resolve, timeoutMs))
        onIdle = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
  }
}

/** Returns a response that caches do not share between callers: what policies allow one of them, they may deny another. */
function withoutPublicScope(response: Response): Response {
  if (!isSuccess(response) || response.result.cacheScope !== 'public') return response
  return { ...response, result: { ...response.result, cacheScope: 'private' } }
}

/** Returns a request that declares views to servers only if its client renders them. */
function withNormalViews(request: Request): Request {
  const { params } = request
  const meta = params?._meta
  const declared = isObject(meta) ? meta[MetaKey.clientCapabilities] : undefined
  if (!params || !isObject(meta) || !isObject(declared) || !isObject(declared.extensions)) return request
  const normal = normalizeViewCapability(declared)
  if (normal === declared) return request
  return { ...request, params: withMeta(params, { ...meta, [MetaKey.clientCapabilities]: normal }) }
}

/** Creates the reference by which the operator finds an internal error that a caller reports. */
export function createReference(): string {
  return crypto.randomUUID().slice(0, 8)
}
