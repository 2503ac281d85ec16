import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { derive } from '../jsonrpc/kept.ts'
import { type JsonObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import { methodNotFound, unsupportedProtocolVersion } from '../protocol/errors.ts'
import { MetaKey, readEnvelope } from '../protocol/meta.ts'
import type { MethodOf } from '../protocol/methods.ts'
import { MODERN_VERSIONS } from '../protocol/revisions.ts'
import type { Implementation } from '../protocol/types.ts'
import { StoreUnavailable } from '../stores/unavailable.ts'
import { CallContext, type CallOptions } from './call.ts'
import { Declined, InputRequired, ToolError } from './errors.ts'
import { type OnEvent, reportError } from './events.ts'
import type { Keeper } from './keeper.ts'

/** Serves one method: gets everything about the request, gives the members of the result. */
export type Handler = (call: CallContext) => Promise<object> | object

export interface DispatchOptions {
  readonly info: Implementation
  /** The handler of a method, if the server offers it now. */
  readonly handlerOf: (method: string) => Handler | undefined
  readonly methodOf: MethodOf
  readonly calls: CallOptions
  readonly onEvent: OnEvent
}

/** Serves one request. Its state rests with its client, unless a keeper is given. */
export type Dispatch = (request: Request, context: ExchangeContext, keeper?: Keeper) => Promise<Response>

/** Makes the Exchange of a server: envelope, method, handler, result. */
export function createDispatch({ info, handlerOf, methodOf, calls, onEvent }: DispatchOptions): Dispatch {
  const serverInfo = { [MetaKey.serverInfo]: info }
  /** Adds what every result carries: its type and the name of the server. */
  const finish = (result: JsonObject): JsonObject => {
    // What is spread last costs least, as in `withMeta`.
    if (!('_meta' in result)) return { resultType: 'complete', _meta: serverInfo, ...result }
    return { resultType: 'complete', ...result, _meta: { ...(result._meta as JsonObject), ...serverInfo } }
  }

  return async (request, context, keeper) => {
    try {
      const envelope = readEnvelope(request.params)
      const { protocolVersion } = envelope
      if (!MODERN_VERSIONS.includes(protocolVersion)) throw unsupportedProtocolVersion(protocolVersion, MODERN_VERSIONS)
      const handler = handlerOf(request.method)
      if (!handler) throw methodNotFound(request.method)
      const call = new CallContext({ request, context, envelope }, calls, keeper)
      const result = methodOf(request.method)?.mayAsk ? await answerOrAsk(handler, call) : await handler(call)
      return success(request.id, derive(result as JsonObject, finish, finish))
    } catch (error) {
      return toRpcError(error, request.method, onEvent).response(request.id)
    }
  }
}

/** Runs a handler that may have to be left because something has to be asked first. */
async function answerOrAsk(handler: Handler, call: CallContext): Promise<object> {
  const { inputResponses, requestState } = call.request.params ?? {}
  if (inputResponses !== undefined || requestState !== undefined) await call.rounds.resume()
  try {
    const result = await handler(call)
    if (!call.waits) return result
  } catch (error) {
    if (!(error instanceof InputRequired) || !call.waits) throw error
  }
  return call.rounds.result()
}

function toRpcError(error: unknown, method: string, onEvent: OnEvent): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof ToolError || error instanceof Declined) return new RpcError(ErrorCode.internalError, error.message)
  const reference = reportError(onEvent, error, { method })
  const what = error instanceof StoreUnavailable ? 'The server cannot reach its store; try again later' : 'Internal error'
  return new RpcError(ErrorCode.internalError, `${what}. Reference: ${reference}`)
}
