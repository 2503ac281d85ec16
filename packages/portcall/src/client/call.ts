import { RpcError } from '../jsonrpc/errors.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { type ErrorBody, isObject, isSuccess, type JsonObject, type Notification, type RequestId } from '../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../protocol/errors.ts'
import { isLoggingLevel, MetaKey } from '../protocol/meta.ts'
import { METHODS } from '../protocol/methods.ts'
import { MODERN_VERSIONS } from '../protocol/revisions.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { InvalidResult, UnansweredInput } from './errors.ts'
import type { Answer } from './input.ts'
import type { ClientDeadlines, ClientEvent, ClientOptions } from './options.ts'

export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** Hears of progress; servers are only asked for it when somebody does. */
  readonly onProgress?: (progress: Progress) => void
  readonly deadlines?: Partial<ClientDeadlines>
  /** More headers for the HTTP requests of this call. */
  readonly headers?: Readonly<Record<string, string>>
  /** More members of `_meta`: trace context, keys of extensions. */
  readonly meta?: JsonObject
}

/** What the caller of a long request hears while it is open. */
export interface RawOptions extends CallOptions {
  readonly onNotification?: (notification: Notification) => void
}

/** Sends requests of the newest revision, and answers what comes back with questions. */
export interface Caller {
  /** Resolves to the complete result. @throws RpcError from the server; TimeoutError, ConnectionLost, InvalidResult from here. */
  request(method: string, params?: JsonObject, options?: RawOptions): Promise<JsonObject>
  /** Answers a question that came by itself, as servers of the legacy era ask. */
  readonly answer: Answer
  /** Gives all requests up that are under way: servers hear of it as they hear of any that is given up. */
  abandon(reason: Error): void
}

export interface CallerOptions {
  readonly exchange: () => Exchange
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  readonly answer: Answer
  readonly deadlines: ClientDeadlines
  readonly maxRounds: number
  readonly logLevel: ClientOptions['logLevel']
  readonly onEvent: (event: ClientEvent) => void
}

const [VERSION] = MODERN_VERSIONS

export function createCaller(options: CallerOptions): Caller {
  const { exchange, info, capabilities, maxRounds, logLevel, onEvent } = options
  const running = new Set<Deadline>()
  let lastId = 0

  /** While a human thinks no clock runs: it cannot be told whose question it is. */
  const answer: Answer = async (method, params, signal) => {
    const stopped = [...running]
    for (const deadline of stopped) deadline.pause()
    try {
      return await options.answer(method, params, signal)
    } finally {
      for (const deadline of stopped) deadline.resume()
    }
  }

  const envelope = (progressToken: RequestId | undefined, meta: JsonObject | undefined): JsonObject => ({
    ...meta,
    [MetaKey.protocolVersion]: VERSION,
    [MetaKey.clientInfo]: info,
    [MetaKey.clientCapabilities]: capabilities,
    ...(logLevel && { [MetaKey.logLevel]: logLevel }),
    ...(progressToken !== undefined && { progressToken }),
  })

  const listener =
    (given: RawOptions, deadline: Deadline) =>
    (notification: Notification): void => {
      const { method, params = {} } = notification
      if (method === 'notifications/progress' && typeof params.progress === 'number') {
        deadline.extend()
        given.onProgress?.(params as unknown as Progress)
      } else if (method === 'notifications/message' && isLoggingLevel(params.level)) {
        onEvent({ type: 'log', level: params.level, logger: params.logger as string | undefined, data: params.data })
      } else given.onNotification?.(notification)
    }

  const round = async (method: string, params: JsonObject, given: Round): Promise<JsonObject> => {
    const { raw, deadline, retried = false } = given
    deadline.signal.throwIfAborted()
    const id = ++lastId
    const _meta = envelope(raw.onProgress ? id : undefined, raw.meta)
    const send = raw.headers && { headers: raw.headers }
    const context = { signal: deadline.signal, notify: listener(raw, deadline), ...(send && { send }) }
    const response = await exchange()({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, context)
    if (isSuccess(response)) return response.result
    if (!retried && offersOurVersion(response.error)) return round(method, params, { ...given, retried: true })
    throw new RpcError(response.error.code, response.error.message, response.error.data)
  }

  const answerAll = async (questions: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    const entries = Object.entries(questions).map(async ([key, question]) => {
      if (!isObject(question) || typeof question.method !== 'string') throw new InvalidResult(`The question ${key} has no method`)
      const params = isObject(question.params) ? question.params : {}
      return [key, await answer(question.method, params, signal).catch(unanswered(question.method))] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }

  return {
    answer,
    abandon(reason) {
      for (const deadline of running) deadline.abort(reason)
    },
    async request(method, params = {}, raw = {}) {
      const unlimited = METHODS.get(method)?.longLived ? { requestMs: Infinity, totalMs: Infinity } : options.deadlines
      const deadline = startDeadline(method, { ...unlimited, ...raw.deadlines }, raw.signal)
      running.add(deadline)
      try {
        let next = params
        for (let rounds = 0; rounds <= maxRounds; rounds++) {
          const result = await untilAborted(round(method, next, { raw, deadline }), deadline.signal)
          if (result.resultType !== 'input_required') return complete(result)
          const questions = isObject(result.inputRequests) ? result.inputRequests : {}
          const inputResponses = await untilAborted(answerAll(questions, deadline.signal), deadline.signal)
          const { requestState } = result
          next = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
        }
        throw new InvalidResult(`${method} came back with questions more than ${maxRounds} times`)
      } finally {
        running.delete(deadline)
        deadline.clear()
      }
    },
  }
}

/** One request on the wire, of the several that a call may take. */
interface Round {
  readonly raw: RawOptions
  readonly deadline: Deadline
  readonly retried?: boolean
}

/** A server that refuses the version, and names it among those that it speaks, may be asked again. */
function offersOurVersion({ code, data }: ErrorBody): boolean {
  if (code !== ProtocolErrorCode.unsupportedProtocolVersion || !isObject(data)) return false
  return Array.isArray(data.supported) && data.supported.includes(VERSION)
}

function complete(result: JsonObject): JsonObject {
  const { resultType } = result
  if (resultType !== undefined && resultType !== 'complete')
    throw new InvalidResult(`Unknown resultType ${JSON.stringify(resultType)}`)
  return result
}

function unanswered(method: string): (error: unknown) => never {
  return (error) => {
    throw new UnansweredInput(`The server asked for ${method}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

/** Lets go of an answer that is not waited for any more, whatever the carrier does about it. */
function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
