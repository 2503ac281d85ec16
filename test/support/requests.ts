import type { ErrorBody, JsonObject, Message, Notification, RequestId, Response } from 'portcall/jsonrpc'
import type { RequestOptions } from './driver.ts'
import type { SendResult } from './wire.ts'

/** An input request of the server. `key` identifies it in an `input_required` result. */
export interface InputRequest {
  method: string
  params: JsonObject
  key?: string
}

/** Everything the server sent in response to one request. */
export interface Outcome {
  response: Response
  /** The result of the response; an empty object for an error. */
  result: JsonObject
  error: ErrorBody | undefined
  notifications: Notification[]
  inputRequests: InputRequest[]
  /** HTTP status of the last response. */
  status: number | undefined
}

/** The pending requests of a driver. */
export interface Requests {
  /** Called with every notification. */
  readonly listeners: Set<(message: Notification) => void>
  start(method: string, params: JsonObject | undefined, options: RequestOptions): { id: RequestId; outcome: Promise<Outcome> }
  settle(response: Response): void
  handleNotification(message: Notification, about: RequestId | undefined): void
  handleInputRequest(ask: InputRequest, about: RequestId | undefined): void
  fail(reason: unknown): void
}

export interface RequestsOptions {
  send(message: Message, options?: RequestOptions): Promise<SendResult | undefined>
  /** True if a request is cancelled by closing the HTTP exchange that carries it. */
  cancelsByDisconnect: boolean
  /** True if the response has arrived by the time `send` resolves. */
  completesOnSend: boolean
}

interface Pending extends Pick<Outcome, 'notifications' | 'inputRequests'> {
  token: unknown
  settle(response: Response): void
  fail(reason: unknown): void
}

/** Tracks the requests of one driver, and collects the messages received while they run. */
export function createRequests({ send, cancelsByDisconnect, completesOnSend }: RequestsOptions): Requests {
  const pending = new Map<RequestId, Pending>()
  const listeners = new Set<(message: Notification) => void>()
  let lastId = 0
  const matching = (about: RequestId | undefined): Pending[] =>
    [...pending].filter(([id]) => about === undefined || about === id).map(([, entry]) => entry)

  const run = (id: RequestId, message: Message, options: RequestOptions): Promise<Outcome> => {
    const collected = { notifications: [], inputRequests: [], token: options.meta?.progressToken }
    return new Promise((resolve, reject) => {
      let answer: Response | undefined
      const fail = (reason: unknown): void => {
        pending.delete(id)
        reject(reason)
      }
      const settle = (response: Response): void => {
        answer = response
        pending.delete(id)
        if (!completesOnSend) resolve(outcomeOf(response, collected))
      }
      pending.set(id, { ...collected, settle, fail })
      const cancel = (): void => {
        if (!cancelsByDisconnect) void send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        fail(options.signal?.reason)
      }
      options.signal?.addEventListener('abort', () => pending.has(id) && cancel())
      send(message, { ...options, ...(cancelsByDisconnect ? {} : { signal: undefined as never }) }).then((sent) => {
        if (answer) resolve({ ...outcomeOf(answer, collected), status: sent?.status })
        else if (sent) fail(new Error(`No answer: HTTP ${sent.status}`))
      }, fail)
    })
  }

  return {
    listeners,
    start(method, params, options) {
      const id = ++lastId
      return { id, outcome: run(id, params ? { jsonrpc: '2.0', id, method, params } : { jsonrpc: '2.0', id, method }, options) }
    },
    settle: (response) => pending.get(response.id as RequestId)?.settle(response),
    handleNotification(message, about) {
      const token = message.method === 'notifications/progress' ? message.params?.progressToken : undefined
      for (const listener of listeners) listener(message)
      for (const entry of matching(about)) if (token === undefined || token === entry.token) entry.notifications.push(message)
    },
    handleInputRequest(ask, about) {
      for (const entry of matching(about)) entry.inputRequests.push(ask)
    },
    fail(reason) {
      for (const entry of [...pending.values()]) entry.fail(reason)
    },
  }
}

function outcomeOf(
  response: Response,
  { notifications, inputRequests }: Pick<Outcome, 'notifications' | 'inputRequests'>,
): Outcome {
  const common = { response, notifications, inputRequests, status: undefined }
  return 'result' in response
    ? { ...common, result: response.result, error: undefined }
    : { ...common, result: {}, error: response.error }
}
