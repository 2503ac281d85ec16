import { RpcError } from '../jsonrpc/errors.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'
import { readProtocolError } from '../protocol/errors.ts'
import type { MethodOf } from '../protocol/methods.ts'
import type { Clocks } from './deadline.ts'
import { InvalidResult, UnansweredInput } from './errors.ts'
import type { Finishers, Unfinished } from './finish.ts'
import type { Answer } from './input.ts'
import type { ClientDeadlines, RawOptions } from './options.ts'
import { createRounds, offersOurVersion, type Round, type RoundOptions } from './round.ts'

/** Sends requests of the newest revision, and answers what comes back with questions. */
export interface Caller {
  /** Resolves to the complete result. @throws RpcError from the server; TimeoutError, ConnectionLost, InvalidResult from here. */
  request(method: string, params?: JsonObject, options?: RawOptions): Promise<JsonObject>
  /** Answers a question that came by itself, as servers of the legacy era ask. */
  readonly answer: Answer
  /** Gives all requests up that are under way: servers hear of it as they hear of any that is given up. */
  abandon(reason: Error): void
}

export interface CallerOptions extends RoundOptions {
  readonly answer: Answer
  /** The deadlines of all that waits for this server. */
  readonly clocks: Clocks
  readonly deadlines: ClientDeadlines
  readonly methodDeadlines: { readonly [method: string]: Partial<ClientDeadlines> }
  readonly maxRounds: number
  readonly methodOf: MethodOf
  readonly finishers: Finishers
}

/** One request with all its rounds. */
interface Call extends Round {
  readonly method: string
  readonly params: JsonObject
}

const ENDLESS: ClientDeadlines = { requestMs: Infinity, totalMs: Infinity }

export function createCaller(options: CallerOptions): Caller {
  const { maxRounds, clocks } = options
  const send = createRounds(options)

  const answer: Answer = (method, params, signal) => clocks.stopped(() => options.answer(method, params, signal))

  const answerAll = async (questions: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const entries = Object.entries(questions).map(async ([key, question]) => {
      if (!isObject(question) || typeof question.method !== 'string') throw new InvalidResult(`The question ${key} has no method`)
      const params = isObject(question.params) ? question.params : {}
      return [key, await answer(question.method, params, signal).catch(unanswered(question.method))] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  const finish = (method: string, unfinished: Unfinished): Promise<JsonObject> => {
    const { resultType } = unfinished.result
    const finisher = typeof resultType === 'string' && options.finishers.get(method)?.get(resultType)
    if (!finisher) throw new InvalidResult(`Unknown resultType ${JSON.stringify(resultType)}`)
    return finisher(unfinished)
  }

  const ask = async (call: Call, params: JsonObject, rounds: number): Promise<JsonObject> => {
    const { method } = call
    if (rounds > maxRounds) throw new InvalidResult(`${method} came back with questions more than ${maxRounds} times`)
    let response = await send(method, params, call)
    if (offersOurVersion(response)) response = await send(method, params, call)
    const result = resultOf(response)
    return isComplete(result) ? result : goOn(call, result, rounds)
  }
  const goOn = async (call: Call, result: JsonObject, rounds: number): Promise<JsonObject> => {
    const { method, params, deadline, raw } = call
    const { resultType, inputRequests, requestState } = result
    if (resultType !== 'input_required') {
      deadline.clear()
      return finish(method, { result, params, options: raw })
    }
    const inputResponses = await answerAll(isObject(inputRequests) ? inputRequests : {}, deadline.signal)
    return ask(call, { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }, rounds + 1)
  }

  return {
    answer,
    abandon: (reason) => clocks.abort(reason),
    request(method, params = {}, raw = {}) {
      const deadline = clocks.start(method, deadlinesOf(method, raw, options), raw.signal)
      return deadline.until(ask({ method, params, raw, deadline }, params, 0))
    },
  }
}

/** What is open until one side ends it has no deadline; a method may have one of its own. */
function deadlinesOf(method: string, raw: RawOptions, { deadlines, methodDeadlines, methodOf }: CallerOptions): ClientDeadlines {
  const ofMethod = Object.hasOwn(methodDeadlines, method) ? { ...deadlines, ...methodDeadlines[method] } : deadlines
  const usual = methodOf(method)?.longLived ? ENDLESS : ofMethod
  return raw.deadlines ? { ...usual, ...raw.deadlines } : usual
}

/** @throws RpcError when it is an error. */
function resultOf(response: Response): JsonObject {
  if (isSuccess(response)) return response.result
  const { code, message, data } = readProtocolError(response.error)
  throw new RpcError(code, message, data)
}

function isComplete({ resultType }: JsonObject): boolean {
  return resultType === undefined || resultType === 'complete'
}

function unanswered(method: string): (error: unknown) => never {
  return (error) => {
    throw new UnansweredInput(`The server asked for ${method}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}
