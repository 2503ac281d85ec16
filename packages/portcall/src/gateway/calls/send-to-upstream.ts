import { isSuccess, type JsonObject, type Response } from '../../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../../protocol/errors.ts'
import { UpstreamContext } from '../upstreams/upstream-context.ts'
import { toolHeadersOf } from './header-params.ts'
import { type ItemCall, upstreamParams } from './item-call.ts'

let lastId = 0

/** Sends a call to its server. Calls of tools get the headers of their parameters, and are sent again if the definition has changed. */
export async function sendToUpstream(call: ItemCall): Promise<Response> {
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
  const headers = current && toolHeadersOf(current)
  headers?.check(args, context)
  if (!upstream.sendsParamHeaders) return send(undefined)
  const response = await send(headers?.create(args))
  if (isSuccess(response) || response.error.code !== ProtocolErrorCode.headerMismatch) return response
  // The definition has changed, or was not known.
  upstream.catalogue.invalidate('tool')
  const changed = await findDefinition(call)
  return changed ? send(toolHeadersOf(changed).create(args)) : response
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
