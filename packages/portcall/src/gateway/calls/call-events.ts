import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { isSuccess, type JsonObject, type Response } from '../../jsonrpc/message.ts'
import type { CallEvent, CallOutcome, OnGatewayEvent } from '../api/events.ts'
import type { ItemMethod } from '../policy/item-methods.ts'
import type { CallerRequest, ItemCall } from './item-call.ts'

/** Runs a call, and emits an event when it has ended. */
export async function reportCall(
  call: ItemCall,
  run: (call: ItemCall) => Promise<Response>,
  onEvent: OnGatewayEvent,
): Promise<Response> {
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
    throw error
  }
}

/** Returns the event of a request for an item that does not exist, that the caller may not see, or that cannot be looked up. */
export function unroutedEvent(
  { request, context }: CallerRequest,
  method: ItemMethod,
  outcome: Extract<CallOutcome, 'denied' | 'unavailable'>,
): CallEvent {
  return {
    type: 'call',
    method: request.method,
    name: method.itemOf(request.params ?? {}).name,
    ...(context.auth && { principal: context.auth.principal }),
    outcome,
    durationMs: 0,
  }
}

function outcomeOf({ resultType, isError }: JsonObject): CallOutcome {
  if (resultType === 'input_required') return 'input-required'
  return isError === true ? 'tool-error' : 'result'
}
