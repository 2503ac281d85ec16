import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { isSuccess, type JsonObject, type Response } from '../../jsonrpc/message.ts'
import type { CallEvent, CallOutcome } from '../api/events.ts'
import type { ItemMethod } from '../policy/item-methods.ts'
import type { CallerRequest, ItemCall } from './item-call.ts'

/** Returns the event of a call that was answered. `startedAt` is a time of `performance.now()`. */
export function answeredEvent(call: ItemCall, startedAt: number, response: Response): CallEvent {
  if (isSuccess(response)) return callEvent(call, startedAt, outcomeOf(response.result))
  return callEvent(call, startedAt, 'error', response.error.code)
}

/** Returns the event of a call that has failed. */
export function failedEvent(call: ItemCall, startedAt: number, error: unknown): CallEvent {
  if (error instanceof RpcError)
    return callEvent(call, startedAt, error.code === ErrorCode.invalidParams ? 'denied' : 'error', error.code)
  return callEvent(call, startedAt, call.context.signal.aborted ? 'cancelled' : 'unavailable')
}

function callEvent({ request, route, context }: ItemCall, startedAt: number, ...end: CallEnd): CallEvent {
  const [outcome, errorCode] = end
  return {
    type: 'call',
    server: route.server,
    method: request.method,
    name: route.name,
    ...(context.auth && { principal: context.auth.principal }),
    outcome,
    ...(errorCode !== undefined && { errorCode }),
    durationMs: performance.now() - startedAt,
  }
}

type CallEnd = readonly [outcome: CallOutcome, errorCode?: number]

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
