import { resultOf } from '../jsonrpc/errors.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'
import { readProtocolError } from '../protocol/errors.ts'
import type { InputRequestHandler } from '../protocol/input-types.ts'
import type { MethodLookup } from '../protocol/methods.ts'
import { completeParams, completeResult } from '../protocol/resource-contents.ts'
import { checkCallOptions } from './check-call-options.ts'
import type { Deadlines } from './deadlines.ts'
import { InputHandlerError, InvalidResultError } from './errors.ts'
import type { ClientTimeouts, RequestOptions } from './options.ts'
import { createSender, type RoundTrip, rejectsSupportedVersion, type SenderOptions } from './send-request.ts'

/** Sends requests of the newest revision, with timeouts, and handles results that require input. */
export interface Requester {
  /** Returns the complete result. @throws RpcError from the server; TimeoutError, ConnectionLostError, InvalidResultError. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>
  /** Handles an input request that arrived on its own, as servers of the legacy era send them. */
  readonly handleInputRequest: InputRequestHandler
  /** Aborts all requests in flight. The server is notified as of any cancellation. */
  abortAll(reason: Error): void
}

export interface RequesterOptions extends SenderOptions {
  readonly handleInputRequest: InputRequestHandler
  readonly deadlines: Deadlines
  readonly timeouts: ClientTimeouts
  readonly methodTimeouts: { readonly [method: string]: Partial<ClientTimeouts> }
  readonly maxRoundTrips: number
  readonly methodOf: MethodLookup
  readonly resolvers: ResultResolvers
}

/** A result whose `resultType` is neither `complete` nor `input_required`, and the request that led to it. */
export interface PendingResult {
  /** The result, as received. */
  readonly result: JsonObject
  /** The params of the request. */
  readonly params: JsonObject
  /** The options of the request. */
  readonly options: RequestOptions
}

/** Resolves a pending result to the complete one. Only the signal in the options limits it; requests it sends have timeouts of their own. */
export type ResultResolver = (pending: PendingResult) => Promise<JsonObject>

/** The resolvers, by method and `resultType`. */
export type ResultResolvers = Map<string, Map<string, ResultResolver>>

/** One call: a request and its input round trips. */
interface Call extends RoundTrip {
  readonly method: string
  readonly params: JsonObject
}

const NO_TIMEOUTS: ClientTimeouts = { requestTimeoutMs: Infinity, totalTimeoutMs: Infinity }

export function createRequester(options: RequesterOptions): Requester {
  const { maxRoundTrips, deadlines } = options
  const send = createSender(options)

  const handleInputRequest: InputRequestHandler = (method, params, signal) =>
    deadlines.pauseWhile(() => options.handleInputRequest(method, completeParams(params), signal))

  const handleInputRequests = async (inputRequests: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const entries = Object.entries(inputRequests).map(async ([key, inputRequest]) => {
      if (!isObject(inputRequest) || typeof inputRequest.method !== 'string')
        throw new InvalidResultError(`The input request ${key} has no method`)
      const { method } = inputRequest
      const params = isObject(inputRequest.params) ? inputRequest.params : {}
      return [key, await handleInputRequest(method, params, signal).catch(throwHandlerError(method))] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  const resolve = (method: string, pending: PendingResult): Promise<JsonObject> => {
    const { resultType } = pending.result
    const resolver = typeof resultType === 'string' && options.resolvers.get(method)?.get(resultType)
    if (!resolver) throw new InvalidResultError(`Unknown resultType ${JSON.stringify(resultType)}`)
    return resolver(pending)
  }

  const sendRound = async (call: Call, params: JsonObject, roundTrips: number): Promise<JsonObject> => {
    const { method } = call
    if (roundTrips > maxRoundTrips)
      throw new InvalidResultError(`${method} requested input more than ${maxRoundTrips} times (maxRoundTrips)`)
    let response = await send(method, params, call)
    if (rejectsSupportedVersion(response)) response = await send(method, params, call)
    const result = completeResult(method, readResult(response, method))
    return isComplete(result) ? result : continueCall(call, result, roundTrips)
  }
  const continueCall = async (call: Call, result: JsonObject, roundTrips: number): Promise<JsonObject> => {
    const { method, params, deadline } = call
    const { resultType, inputRequests, requestState } = result
    if (resultType !== 'input_required') {
      deadline.clear()
      return resolve(method, { result, params, options: call.options })
    }
    const inputResponses = await handleInputRequests(isObject(inputRequests) ? inputRequests : {}, deadline.signal)
    return sendRound(call, { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }, roundTrips + 1)
  }

  return {
    handleInputRequest,
    abortAll: (reason) => deadlines.abortAll(reason),
    request(method, params = {}, callOptions = {}) {
      checkCallOptions(method, callOptions)
      const deadline = deadlines.start(method, timeoutsOf(method, callOptions, options), callOptions.signal)
      return deadline.race(sendRound({ method, params, options: callOptions, deadline }, params, 0))
    },
  }
}

/** A request that stays open until one side ends it has no timeout, unless the call sets one. */
function timeoutsOf(
  method: string,
  { timeouts: ofCall }: RequestOptions,
  { timeouts, methodTimeouts, methodOf }: RequesterOptions,
): ClientTimeouts {
  const ofMethod = Object.hasOwn(methodTimeouts, method) ? { ...timeouts, ...methodTimeouts[method] } : timeouts
  const defaults = methodOf(method)?.longLived ? NO_TIMEOUTS : ofMethod
  return ofCall ? { ...defaults, ...ofCall } : defaults
}

/** @throws RpcError when the response is an error, with the codes of the newest revision. */
export function readResult(response: Response, method: string): JsonObject {
  return resultOf(isSuccess(response) ? response : { ...response, error: readProtocolError(response.error) }, method)
}

function isComplete({ resultType }: JsonObject): boolean {
  return resultType === undefined || resultType === 'complete'
}

function throwHandlerError(method: string): (error: unknown) => never {
  return (cause) => {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new InputHandlerError(`The server requested input (${method}), which failed: ${message}`, { cause })
  }
}
