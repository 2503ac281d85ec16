import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import type { Caller } from '../policy/caller.ts'
import type { ItemMethod } from '../policy/item-methods.ts'
import type { GatewayCall } from '../policy/types.ts'
import type { InputState } from './input-states.ts'
import type { ItemRoute } from './router.ts'

/** A request of a caller. */
export interface CallerRequest {
  readonly request: Request
  readonly context: ExchangeContext
  readonly caller: Caller
}

/** A call, and where it goes. */
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

/** Returns the params of an input round trip with the server that the gateway interrupts. */
export function pausedRoundTrip({ params, state }: ItemCall): InputState['pausedRoundTrip'] {
  if (state?.isOwn) return state.pausedRoundTrip
  return params.inputResponses === undefined && !state
    ? undefined
    : { inputResponses: params.inputResponses, requestState: state?.upstream }
}

/** Returns the params for the server: with its name of the item, and with its own request state. */
export function upstreamParams({ params, method, route, state }: ItemCall): JsonObject {
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
