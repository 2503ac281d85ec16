import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject, type Request, type Response } from '../../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../../protocol/errors.ts'
import { toolHeadersOf } from '../../protocol/header-params.ts'
import type { Caller } from '../policy/caller.ts'
import type { ItemMethod } from '../policy/item-methods.ts'
import type { GatewayCall } from '../policy/types.ts'
import { UpstreamContext } from '../upstreams/upstream-context.ts'
import type { InputState } from './input-states.ts'
import type { ItemRoute } from './router.ts'

/** A request of a caller. */
export interface CallerRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly caller: Caller
}

/** A routed request. */
export class ItemCall implements CallerRequest {
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

/** Returns the server's pending round trip, to resume after the gateway's own. */
export function pausedRoundTrip({ params, state }: ItemCall): InputState['pausedRoundTrip'] {
  if (state?.isOwn) return state.pausedRoundTrip
  return params.inputResponses === undefined && !state
    ? undefined
    : { inputResponses: params.inputResponses, requestState: state?.upstream }
}

/** Returns the params for the server: with its name of the item, and with its own request state. */
function upstreamParams({ params, method, route, state }: ItemCall): JsonObject {
  const renamed = method.rewrite(params, route.name)
  if (!('inputResponses' in params || 'requestState' in params)) return renamed
  const { inputResponses, requestState: _sealed, ...rest } = renamed
  const round = state?.isOwn ? (state.pausedRoundTrip ?? {}) : { inputResponses, requestState: state?.upstream }
  return {
    ...rest,
    ...(round.inputResponses !== undefined && { inputResponses: round.inputResponses }),
    ...(round.requestState !== undefined && { requestState: round.requestState }),
  }
}

let lastId = 0

/** Sends a call to its server. Tool calls get the headers that repeat their arguments, and are sent again if the definition has changed. */
export async function sendToUpstream(call: ItemCall): Promise<Response> {
  const { route, context } = call
  const { upstream } = route
  if (route.kind !== 'tool') return send(call, undefined)
  const args = call.method.args(call.params) ?? {}
  const isNeeded = context.readParamHeader !== undefined || upstream.sendsParamHeaders
  const definition = route.definition ?? (isNeeded ? await knownDefinition(call) : undefined)
  const headers = definition && toolHeadersOf(definition)
  headers?.check(args, context)
  if (!upstream.sendsParamHeaders) return send(call, undefined)
  const response = await send(call, headers?.create(args))
  if (isSuccess(response) || response.error.code !== ProtocolErrorCode.headerMismatch) return response
  // The definition has changed, or was not known.
  upstream.catalogue.invalidate('tool')
  const changed = await findDefinition(call)
  return changed ? send(call, toolHeadersOf(changed).create(args)) : response
}

function send(call: ItemCall, headers: Record<string, string> | undefined): Promise<Response> {
  const { request, context, caller, route } = call
  const message: Request = { jsonrpc: '2.0', id: ++lastId, method: request.method, params: upstreamParams(call) }
  return route.upstream.exchangeUnder(caller.policies)(message, new UpstreamContext(context, request, headers))
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
