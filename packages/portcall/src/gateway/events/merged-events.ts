import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, isSuccess, type Response, success } from '../../jsonrpc/message.ts'
import { methodNotFound } from '../../protocol/errors.ts'
import { EVENT_ERROR_CODES, type EventErrorData, EventMethod } from '../../protocol/events.ts'
import type { ForwardCall } from '../calls/forward-call.ts'
import type { CallerRequest } from '../calls/item-call.ts'
import { mayOfferEvents } from '../lists/known-servers.ts'
import type { CurrentTable } from '../routes/table.ts'
import { exposeOccurrence, type GatewayEventStreams } from './event-streams.ts'

export interface MergedEventsOptions {
  readonly registry: CurrentTable
  readonly forwardCall: ForwardCall
  readonly streams: GatewayEventStreams
}

/** The events of several servers. */
export interface MergedEvents {
  /** The handlers of the methods of the extension, without `events/list`. */
  readonly handlers: readonly (readonly [method: string, handler: ForwardCall])[]
}

export function createMergedEvents({ registry, forwardCall, streams }: MergedEventsOptions): MergedEvents {
  const poll: ForwardCall = async (call) => {
    const response = await forwardCall(call)
    const events = isSuccess(response) ? response.result.events : undefined
    if (!isSuccess(response) || !Array.isArray(events)) return response
    const { request } = call
    const exposed = events.map((event: unknown) => (isObject(event) ? exposeOccurrence(event, request.params?.name) : event))
    return success(request.id, { ...response.result, events: exposed })
  }
  /** The subscription would be one of the gateway at the server, which the secret of the client must not reach. */
  const refuseWebhook = async (): Promise<Response> => {
    const data: EventErrorData['Unsupported'] = {
      feature: 'deliveryMode',
      value: 'webhook',
      reason: 'A gateway delivers events to polls and streams only',
    }
    throw new RpcError(
      EVENT_ERROR_CODES.spec.Unsupported,
      'The gateway does not deliver events to webhooks: use poll or push',
      data,
    )
  }
  const handlers: [string, ForwardCall][] = [
    [EventMethod.poll, poll],
    [EventMethod.stream, (call) => streams.open(call, forwardCall)],
    [EventMethod.subscribe, refuseWebhook],
    [EventMethod.unsubscribe, refuseWebhook],
  ]
  return {
    handlers: handlers.map(([method, handler]) => [
      method,
      async (call) => {
        await requireEvents(call, registry)
        return handler(call)
      },
    ]),
  }
}

/** Answers a request of the extension as unknown if no server has it, and to clients of older revisions. @throws RpcError -32601 */
export async function requireEvents({ request, caller }: CallerRequest, { table }: CurrentTable): Promise<void> {
  const { upstreams } = table
  if (!mayOfferEvents(upstreams, caller)) throw methodNotFound(request.method)
  const unknown = upstreams.filter(({ catalogue }) => !catalogue.knownInfo(caller))
  if (unknown.length === 0) return
  await Promise.all(unknown.map(({ catalogue, listWaitMs }) => catalogue.discover(caller, listWaitMs)))
  if (!mayOfferEvents(upstreams, caller)) throw methodNotFound(request.method)
}
