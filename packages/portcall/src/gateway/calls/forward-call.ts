import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../../protocol/errors.ts'
import { LOCAL_STATE } from '../../protocol/local-state.ts'
import type { Caller } from '../caller.ts'
import { findUserInputRequired, unavailable } from '../errors.ts'
import type { CallEvent, CallOutcome, OnGatewayEvent } from '../events.ts'
import type { GatewayCall } from '../policy.ts'
import type { ItemRoute, Router, RoutingTable } from '../routes/router.ts'
import type { TaskIds } from '../routes/task-ids.ts'
import { exposeResultUris } from './expose-result.ts'
import { checkHeaderParams, createParamHeaders } from './header-params.ts'
import type { InputState, InputStates } from './input-states.ts'
import { ITEM_METHODS, type ItemMethod } from './item-methods.ts'
import type { GatewayProcesses } from './processes.ts'
import { UpstreamContext } from './upstream-context.ts'

export interface CallForwarderOptions {
  readonly table: () => RoutingTable
  readonly router: Router
  readonly inputStates: InputStates
  readonly taskIds: TaskIds
  readonly processes: GatewayProcesses
  readonly onEvent: OnGatewayEvent | undefined
}

/** A request of a caller. */
export interface CallerRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly caller: Caller
}

/** Forwards requests that concern one item to its server. */
export type ForwardCall = (call: CallerRequest) => Promise<Response>

export function createCallForwarder(options: CallForwarderOptions): ForwardCall {
  const { router, inputStates, processes, onEvent } = options

  /** Asks the policies. Returns the response if the call does not go to the server. */
  const decide = async (call: ItemCall): Promise<Response | undefined> => {
    const { request, context, route, method, params, state } = call
    const answers = state?.isOwn ? params.inputResponses : undefined
    const decision = await call.caller.policies.decide(call.toPolicyCall(answers))
    if (decision === 'allow') return undefined
    if (decision === 'deny') throw method.unknown(params)
    if ('error' in decision) throw decision.error
    if ('result' in decision) return success(request.id, { resultType: 'complete', ...decision.result })
    const asked = { server: route.server, isOwn: true, kept: keptParams(call) }
    const requestState = await inputStates.seal(asked, request, context)
    return success(request.id, { resultType: 'input_required', inputRequests: decision.ask, requestState })
  }
  /** Asks the user if the server cannot be used before the user has done something. */
  const askUser = async (call: ItemCall, error: unknown): Promise<Response> => {
    const { request, context, route } = call
    const required = findUserInputRequired(error)
    if (!required) throw error
    const state = { server: route.server, isOwn: true, isAllowed: true, kept: keptParams(call) }
    const requestState = await inputStates.seal(state, request, context)
    return success(request.id, { resultType: 'input_required', inputRequests: required.inputRequests, requestState })
  }
  const run = async (call: ItemCall): Promise<Response> => {
    const decided = call.caller.policies.isEmpty || call.state?.isAllowed ? undefined : await decide(call)
    if (decided) return decided
    try {
      const response = await sendToUpstream(call)
      if (!isSuccess(response)) return { ...response, id: call.request.id }
      const exposed = exposeResult(call, response.result, options)
      return success(call.request.id, exposed instanceof Promise ? await exposed : exposed)
    } catch (error) {
      return askUser(call, error)
    }
  }

  return async (callerRequest) => {
    const { request, context, caller } = callerRequest
    const method = ITEM_METHODS[request.method]
    if (!method) throw new TypeError(`${request.method} does not concern an item`)
    const params = request.params ?? {}
    const found = method.find(router, params, caller)
    const route = found instanceof Promise ? await found : found
    if (!route) {
      onEvent?.(unknownEvent(callerRequest, method))
      throw method.unknown(params)
    }
    const { requestState } = params
    const state = requestState === undefined ? undefined : await inputStates.open(requestState, request, context)
    if (state && state.server !== route.server) throw method.unknown(params)
    if (state?.process !== undefined && !processes.isOwn(state.process)) return processes.forward(state.process, request, context)
    const call = new ItemCall(callerRequest, { method, route, state })
    if (onEvent) return report(call, run, onEvent)
    try {
      return await run(call)
    } catch (error) {
      return throwAsRpcError(call, error)
    }
  }
}

/** A call, and where it goes. */
class ItemCall implements CallerRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly caller: Caller
  readonly params: JsonObject
  readonly method: ItemMethod
  readonly route: ItemRoute
  readonly state: InputState | undefined

  constructor(
    { request, context, caller }: CallerRequest,
    { method, route, state }: { method: ItemMethod; route: ItemRoute; state: InputState | undefined },
  ) {
    this.request = request
    this.context = context
    this.caller = caller
    this.params = request.params ?? {}
    this.method = method
    this.route = route
    this.state = state
  }

  toPolicyCall(answers: unknown): GatewayCall {
    const { request, route, caller, context } = this
    const { server, kind, name, definition } = route
    return {
      server,
      kind,
      name,
      definition,
      method: request.method,
      args: this.method.args(this.params),
      caller,
      answers: answers as JsonObject | undefined,
      get signal() {
        return context.signal
      },
    }
  }
}

/** Returns the params of an input round trip with the server that the gateway interrupts. */
function keptParams({ params, state }: ItemCall): InputState['kept'] {
  if (state?.isOwn) return state.kept
  return params.inputResponses === undefined && !state
    ? undefined
    : { inputResponses: params.inputResponses, requestState: state?.upstream }
}

/** Returns the params for the server: with its name of the item, and with its own request state. */
function upstreamParams({ params, method, route, state }: ItemCall): JsonObject {
  const renamed = method.rewrite(params, route.name)
  if (!('inputResponses' in params || 'requestState' in params)) return renamed
  const { inputResponses, requestState: _sealed, ...rest } = renamed
  const round = state?.isOwn ? (state.kept ?? {}) : { inputResponses, requestState: state?.upstream }
  return {
    ...rest,
    ...(round.inputResponses !== undefined && { inputResponses: round.inputResponses }),
    ...(round.requestState !== undefined && { requestState: round.requestState }),
  }
}

let lastId = 0

async function sendToUpstream(call: ItemCall): Promise<Response> {
  const { route, request, context, caller } = call
  const { upstream } = route
  const exchange = upstream.exchangeUnder(caller.policies)
  const send = (headers: Record<string, string> | undefined): Promise<Response> =>
    exchange(
      { jsonrpc: '2.0', id: ++lastId, method: request.method, params: upstreamParams(call) },
      new UpstreamContext(context, headers),
    )
  if (route.kind !== 'tool') return send(undefined)
  const args = call.method.args(call.params) ?? {}
  const isNeeded = context.readParamHeader !== undefined || upstream.sendsParamHeaders
  const current = route.definition ?? (isNeeded ? await knownDefinition(call) : undefined)
  if (current) checkHeaderParams(current, args, context)
  if (!upstream.sendsParamHeaders) return send(undefined)
  const response = await send(current && createParamHeaders(current, args))
  if (isSuccess(response) || response.error.code !== ProtocolErrorCode.headerMismatch) return response
  // The definition has changed, or was not known.
  upstream.catalogue.invalidate('tool')
  const changed = await findDefinition(call)
  return changed ? send(createParamHeaders(changed, args)) : response
}

/** Returns the definition of a tool as its server listed it last. A call whose headers do not match it is sent again. */
async function knownDefinition(call: ItemCall): Promise<JsonObject | undefined> {
  const { upstream, name } = call.route
  const known = call.context.readParamHeader ? undefined : upstream.catalogue.known('tool', call.caller)
  return known ? known.items.get(name) : findDefinition(call)
}

/** Returns the definition of a tool as its server lists it now. */
async function findDefinition({ route: { upstream, name }, caller }: ItemCall): Promise<JsonObject | undefined> {
  const { value } = await upstream.catalogue.list('tool', caller, upstream.listWaitMs)
  return value?.items.get(name)
}

/** Returns the result of a server as the caller gets it; synchronously where possible. */
function exposeResult(call: ItemCall, result: JsonObject, options: CallForwarderOptions): JsonObject | Promise<JsonObject> {
  const { request, context, caller, route } = call
  const { table, router, taskIds } = options
  if (result.resultType === 'input_required') return exposeInputState(call, result, options)
  if (result.resultType === 'task') return taskIds.exposeTask(route, result, context)
  const exposed = table().single
    ? result
    : exposeResultUris(request.method, result, (uri) =>
        uri === route.name && typeof call.params.uri === 'string' ? call.params.uri : router.exposeUri(route, uri, caller),
      )
  return caller.policies.isEmpty ? exposed : caller.policies.result(exposed, call.toPolicyCall(undefined))
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
function throwAsRpcError({ context, route }: ItemCall, error: unknown): never {
  if (error instanceof RpcError || context.signal.aborted) throw error
  throw unavailable(route.server, error)
}

async function report(call: ItemCall, run: (call: ItemCall) => Promise<Response>, onEvent: OnGatewayEvent): Promise<Response> {
  const { request, route, context } = call
  const startedAt = performance.now()
  const emit = (outcome: CallOutcome, errorCode?: number): void =>
    onEvent({
      type: 'call',
      server: route.server,
      method: request.method,
      name: route.name,
      ...(context.auth && { principal: context.auth.principal }),
      outcome,
      ...(errorCode !== undefined && { errorCode }),
      durationMs: performance.now() - startedAt,
    })
  try {
    const response = await run(call)
    if (isSuccess(response)) emit(outcomeOf(response.result))
    else emit('error', response.error.code)
    return response
  } catch (error) {
    if (error instanceof RpcError) emit(error.code === ErrorCode.invalidParams ? 'denied' : 'error', error.code)
    else emit(context.signal.aborted ? 'cancelled' : 'unavailable')
    return throwAsRpcError(call, error)
  }
}

/** The event of a request for an item that does not exist, or that the caller may not see. */
function unknownEvent({ request, context }: CallerRequest, method: ItemMethod): CallEvent {
  return {
    type: 'call',
    method: request.method,
    name: method.nameOf(request.params ?? {}),
    ...(context.auth && { principal: context.auth.principal }),
    outcome: 'denied',
    durationMs: 0,
  }
}

function outcomeOf({ resultType, isError }: JsonObject): CallOutcome {
  if (resultType === 'input_required') return 'input-required'
  return isError === true ? 'tool-error' : 'result'
}
