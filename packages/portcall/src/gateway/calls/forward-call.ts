import { RpcError } from '../../jsonrpc/errors.ts'
import { applyMiddleware, type Exchange } from '../../jsonrpc/exchange.ts'
import { reportHandling } from '../../jsonrpc/handling.ts'
import { isSuccess, type JsonObject, type Response, success } from '../../jsonrpc/message.ts'
import { isViewUri } from '../../protocol/apps.ts'
import { EventMethod } from '../../protocol/events.ts'
import { LOCAL_STATE } from '../../protocol/local-state.ts'
import { findUserInputRequired, unavailable } from '../api/errors.ts'
import type { OnGatewayEvent } from '../api/events.ts'
import { ITEM_METHODS } from '../policy/item-methods.ts'
import type { CurrentTable } from '../routes/table.ts'
import type { TaskIds } from '../routes/task-ids.ts'
import { withOwnDomains } from '../routes/view-domains.ts'
import { keepTexts } from '../upstreams/result-texts.ts'
import { answeredEvent, failedEvent, unroutedEvent } from './call-events.ts'
import { exposeResultUris } from './expose-result.ts'
import type { InputStates } from './input-states.ts'
import { type CallerRequest, ItemCall, pausedRoundTrip, sendToUpstream } from './item-call.ts'
import type { GatewayProcesses } from './processes.ts'
import type { Router } from './router.ts'
import type { ViewReads } from './view-tools.ts'

export interface CallForwarderOptions {
  readonly registry: CurrentTable
  readonly router: Router
  readonly viewReads: ViewReads
  readonly inputStates: InputStates
  readonly taskIds: TaskIds
  readonly processes: GatewayProcesses
  /** Sends a request for a stream of events, which callers share. */
  readonly openEventStream: (call: ItemCall) => Promise<Response>
  readonly onEvent: OnGatewayEvent | undefined
}

/** Forwards requests that concern one item to its server. */
export type ForwardCall = (call: CallerRequest) => Promise<Response>

export function createCallForwarder(options: CallForwarderOptions): ForwardCall {
  const { router, inputStates, processes, openEventStream, onEvent } = options

  /** Asks the policies. Returns the response if the call does not go to the server. */
  const decide = async (call: ItemCall): Promise<Response | undefined> => {
    const { request, context, route, method, params, state } = call
    const answers = state?.isOwn ? params.inputResponses : undefined
    const decision = await call.caller.policies.decide(call.toPolicyCall(answers))
    if (decision === 'allow') return undefined
    if (decision === 'deny') throw method.unknown(params)
    if ('error' in decision) throw decision.error
    if ('result' in decision) return success(request.id, { resultType: 'complete', ...decision.result })
    const asked = { server: route.server, isOwn: true, pausedRoundTrip: pausedRoundTrip(call) }
    const requestState = await inputStates.seal(asked, request, context)
    return success(request.id, { resultType: 'input_required', inputRequests: decision.ask, requestState })
  }
  /** Asks the user if the server cannot be used before the user has done something. */
  const askUser = async (call: ItemCall, error: unknown): Promise<Response> => {
    const { request, context, route } = call
    const required = findUserInputRequired(error)
    if (!required) throw error
    const state = { server: route.server, isOwn: true, isAllowed: true, pausedRoundTrip: pausedRoundTrip(call) }
    const requestState = await inputStates.seal(state, request, context)
    return success(request.id, { resultType: 'input_required', inputRequests: required.inputRequests, requestState })
  }
  const run = async (call: ItemCall): Promise<Response> => {
    const decided = call.caller.policies.isEmpty || call.state?.isAllowed ? undefined : await decide(call)
    if (decided) return decided
    try {
      const { policies } = call.caller
      const response = await (policies.replaying.length > 0 ? replay(call) : send(call))
      if (!isSuccess(response)) return response
      const { result } = response
      return policies.isEmpty || isUnfinished(result)
        ? response
        : success(call.request.id, await policies.result(result, call.toPolicyCall(undefined)))
    } catch (error) {
      return askUser(call, error)
    }
  }
  /** Sends a call to its server. Resolves to the response as the gateway exposes it, before policies change its result. */
  const send = async (call: ItemCall): Promise<Response> => {
    const isStream = call.request.method === EventMethod.stream
    const response = await (isStream ? openEventStream(call) : sendToUpstream(call))
    if (!isSuccess(response)) return { ...response, id: call.request.id }
    const exposed = exposeResult(call, response.result, options)
    const result = exposed instanceof Promise ? await exposed : exposed
    if (call.caller.policies.isTransparent) keepTexts(result)
    return success(call.request.id, result)
  }
  /** Sends a call through middleware that may answer it with a kept result. The policies have allowed the call. */
  const replay = (call: ItemCall): Promise<Response> => {
    const { caller, method, route, state } = call
    const dispatch: Exchange = (request, context) => {
      reportHandling(context, 'received')
      return send(new ItemCall({ request, context, caller }, { method, route, state }))
    }
    return applyMiddleware(dispatch, caller.policies.replaying)(call.request, call.context)
  }

  return async (callerRequest) => {
    const { request, context, caller } = callerRequest
    const method = ITEM_METHODS[request.method]
    if (!method) throw new TypeError(`${request.method} does not concern an item`)
    const params = request.params ?? {}
    const found = router.find(method.itemOf(params), caller)
    const reportUnreachable = (error: unknown): never => {
      onEvent?.(unroutedEvent(callerRequest, method, 'unavailable'))
      throw error
    }
    const route = found instanceof Promise ? await found.catch(reportUnreachable) : found
    if (!route) {
      onEvent?.(unroutedEvent(callerRequest, method, 'denied'))
      throw method.unknown(params)
    }
    const { requestState } = params
    const state = requestState === undefined ? undefined : await inputStates.open(requestState, request, context)
    if (state && state.server !== route.server) throw method.unknown(params)
    if (state?.process !== undefined && !processes.isOwn(state.process)) return processes.forward(state.process, request, context)
    const call = new ItemCall(callerRequest, { method, route, state })
    const startedAt = performance.now()
    try {
      const response = await run(call)
      onEvent?.(answeredEvent(call, startedAt, response))
      return response
    } catch (error) {
      onEvent?.(failedEvent(call, startedAt, error))
      return throwAsRpcError(call, error)
    }
  }
}

/** Returns the result of a server as the caller gets it; synchronously where possible. */
function exposeResult(call: ItemCall, result: JsonObject, options: CallForwarderOptions): JsonObject | Promise<JsonObject> {
  const { request, context, caller, route } = call
  const { registry, router, taskIds, viewReads } = options
  if (result.resultType === 'input_required') return exposeInputState(call, result, options)
  if (result.resultType === 'task') return taskIds.exposeTask(route, result, context)
  const { single, uris } = registry.table
  const exposeUris = (received: JsonObject): JsonObject =>
    single
      ? received
      : exposeResultUris(request.method, received, {
          expose: (uri) =>
            uri === route.name && typeof call.params.uri === 'string' ? call.params.uri : router.exposeUri(route, uri, caller),
          markApp: (uri) => uris.markView(route.server, uri),
        })
  if (request.method !== 'resources/read' || !isViewUri(route.name)) return exposeUris(result)
  viewReads.note(caller, route.server)
  const own = withOwnDomains(result, 'contents', call)
  return own instanceof Promise ? own.then(exposeUris) : exposeUris(own)
}

/** Reports whether a result is no result of the item itself. */
function isUnfinished({ resultType }: JsonObject): boolean {
  return resultType === 'input_required' || resultType === 'task'
}

/** Seals the state of a call that requires input. */
async function exposeInputState(
  { request, context, route }: ItemCall,
  result: JsonObject,
  { processes, inputStates }: CallForwarderOptions,
): Promise<JsonObject> {
  const process = LOCAL_STATE in result ? await processes.join() : undefined
  const state = { server: route.server, upstream: result.requestState as string | undefined, isAllowed: true, process }
  return { ...result, requestState: await inputStates.seal(state, request, context) }
}

/** Converts what a connection threw. A request that was aborted stays aborted. */
function throwAsRpcError({ request, context, route }: ItemCall, error: unknown): never {
  if (error instanceof RpcError || context.signal.aborted) throw error
  throw unavailable(route.server, error, request.method)
}
