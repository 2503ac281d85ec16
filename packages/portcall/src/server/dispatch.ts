import { memoize } from '../../../util/src/memo.ts'
import { ErrorCode, internalError, RpcError } from '../jsonrpc/errors.ts'
import { applyMiddleware, copySharedResults, type Exchange, type ExchangeContext, type Middleware } from '../jsonrpc/exchange.ts'
import { reportHandling } from '../jsonrpc/handling.ts'
import { type Failure, type JsonObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import { markUnavailable, retryData } from '../jsonrpc/retryable.ts'
import { methodNotFound, unsupportedProtocolVersion } from '../protocol/errors.ts'
import { MetaKey, readRequestMeta } from '../protocol/meta.ts'
import type { MethodInfo, MethodLookup } from '../protocol/methods.ts'
import { MODERN_VERSIONS } from '../protocol/revisions.ts'
import type { Implementation, ServerCapabilities } from '../protocol/types.ts'
import { StoreUnavailableError } from '../stores/errors.ts'
import { CallContext, type CallContextOptions } from './call.ts'
import { ElicitationDeclinedError, InputRequiredError, ToolError } from './errors.ts'
import { emitError, type OnEvent } from './events.ts'
import type { RequestStateStore } from './input-requests/request-state.ts'

/** Handles one method. Returns the result without the members that all results have. */
export type Handler = (call: CallContext) => Promise<object> | object

export interface DispatcherOptions {
  readonly info: Implementation
  readonly methods: ReadonlyMap<string, MethodInfo>
  readonly handlers: ReadonlyMap<string, Handler>
  /** Returns whether the server declares a capability. Methods of other capabilities are unknown. */
  readonly hasCapability: (capability: keyof ServerCapabilities) => boolean
  readonly callOptions: CallContextOptions
  readonly onEvent: OnEvent
}

export interface Dispatcher {
  /** Answers a request: runs the middleware around `dispatch`. */
  readonly exchange: Exchange
  /** Answers a request without middleware. The request state is sent to the client unless there is a `stateStore`. */
  readonly dispatch: (request: Request, context: ExchangeContext, stateStore?: RequestStateStore) => Promise<Response>
  /** Returns the properties of a method, or `undefined` for an unknown method. */
  readonly methodOf: MethodLookup
  /** Adds middleware inside of the middleware that was added before; `innermost`, also inside of what is added later. */
  use(middleware: Middleware, innermost?: boolean): void
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { methods, handlers, hasCapability, callOptions, onEvent } = options
  const serverInfo = { [MetaKey.serverInfo]: options.info }

  /** Adds the members that all results have: the type and the server's name and version. */
  const completeResult = (result: JsonObject): JsonObject => {
    // Spreading the result last is fastest, as in `withMeta`.
    if (!('_meta' in result)) return { resultType: 'complete', _meta: serverInfo, ...result }
    return { resultType: 'complete', ...result, _meta: { ...(result._meta as JsonObject), ...serverInfo } }
  }

  const dispatch: Dispatcher['dispatch'] = async (request, context, stateStore) => {
    reportHandling(context, 'received')
    let call: CallContext | undefined
    try {
      const requestMeta = readRequestMeta(request.params)
      const { protocolVersion } = requestMeta
      if (!MODERN_VERSIONS.includes(protocolVersion)) throw unsupportedProtocolVersion(protocolVersion, MODERN_VERSIONS)
      const method = methods.get(request.method)
      const handler = handlers.get(request.method)
      if (!handler || (method?.capability !== undefined && !hasCapability(method.capability)))
        throw methodNotFound(request.method)
      call = new CallContext({ request, context, requestMeta }, callOptions, stateStore)
      const outcome = method?.mayRequireInput ? runSuspendable(handler, call) : handler(call)
      // Awaiting a value that is no promise costs as much as awaiting one.
      const result = outcome instanceof Promise ? await outcome : outcome
      return success(request.id, memoize(result as JsonObject, completeResult, completeResult))
    } catch (error) {
      return toFailure(error, { request, context, hasRun: call?.hasStarted === true }, onEvent)
    }
  }

  const outer: Middleware[] = []
  const inner: Middleware[] = []
  let exchange: Exchange = dispatch
  return {
    exchange: (request, context) => exchange(request, context),
    dispatch,
    methodOf: (method) => methods.get(method),
    use(middleware, innermost) {
      ;(innermost ? inner : outer).push(middleware)
      const layers = applyMiddleware(copySharedResults(dispatch), [...outer, ...inner])
      exchange = (request, context) => {
        const toResponse = (error: unknown): Response =>
          toFailure(error, { request, context, hasRun: request.method === 'tools/call' }, onEvent)
        reportHandling(context, 'received')
        try {
          return layers(request, context).catch(toResponse)
        } catch (error) {
          return Promise.resolve(toResponse(error))
        }
      }
    },
  }
}

/** Runs a handler that may request input. If it does, returns the `input_required` result. */
function runSuspendable(handler: Handler, call: CallContext): Promise<object> | object {
  const { inputResponses, requestState } = call.request.params ?? {}
  if (inputResponses !== undefined || requestState !== undefined)
    return call.roundTrips.resume().then(() => completeSuspendable(() => handler(call), call))
  const outcome = handler(call)
  return outcome instanceof Promise || call.isSuspended ? completeSuspendable(() => outcome, call) : outcome
}

async function completeSuspendable(run: () => Promise<object> | object, call: CallContext): Promise<object> {
  try {
    const result = await run()
    if (!call.isSuspended) return result
  } catch (error) {
    if (!(error instanceof InputRequiredError) || !call.isSuspended) throw error
  }
  return call.roundTrips.inputRequiredResult()
}

/** A request that failed. */
interface FailedRequest {
  readonly request: Request
  readonly context: ExchangeContext
  /** True if the request may have had an effect. */
  readonly hasRun: boolean
}

/** Converts an error that a handler threw. Details of unexpected errors are reported and not sent to the client. */
function toFailure(error: unknown, { request: { id, method }, context, hasRun }: FailedRequest, onEvent: OnEvent): Failure {
  if (error instanceof RpcError) return error.response(id)
  if (error instanceof ToolError || error instanceof ElicitationDeclinedError)
    return new RpcError(ErrorCode.internalError, error.message).response(id)
  const reference = emitError(onEvent, error, { method, context })
  if (!(error instanceof StoreUnavailableError)) return internalError(reference).response(id)
  const message = 'The store is unavailable; try again later'
  if (hasRun) return internalError(reference, message).response(id)
  return markUnavailable(internalError(reference, message, retryData()).response(id))
}
