import type { ErrorBody, JsonObject, Message, Notification, RequestId, Response } from 'portcall/jsonrpc'
import type { RequestOptions } from './driver.ts'
import type { Sent } from './wire.ts'

/** Something the server wants to know; `key` where rounds have keys. */
export interface Ask {
  method: string
  params: JsonObject
  key?: string
}

/** All that came of one request. */
export interface Outcome {
  response: Response
  /** Its result; an empty object for an error. */
  result: JsonObject
  error: ErrorBody | undefined
  notifications: Notification[]
  asks: Ask[]
  /** HTTP status of the last answer. */
  status: number | undefined
}

/** The requests of a driver that are not answered yet. */
export interface Requests {
  /** Told about every notification. */
  readonly listeners: Set<(message: Notification) => void>
  begin(method: string, params: JsonObject | undefined, options: RequestOptions): { id: RequestId; outcome: Promise<Outcome> }
  settle(response: Response): void
  hear(message: Notification, about: RequestId | undefined): void
  asked(ask: Ask, about: RequestId | undefined): void
  fail(reason: unknown): void
}

export interface RequestsOptions {
  send(message: Message, options?: RequestOptions): Promise<Sent | undefined>
  /** Dropping the carrier of a request is its cancellation. */
  cancelsByHangingUp: boolean
  /** What came back with a request is complete when `send` resolves. */
  answersBySend: boolean
}

interface Pending extends Pick<Outcome, 'notifications' | 'asks'> {
  token: unknown
  settle(response: Response): void
  fail(reason: unknown): void
}

/** Keeps the requests of one driver, and what comes while they run. */
export function createRequests({ send, cancelsByHangingUp, answersBySend }: RequestsOptions): Requests {
  const pending = new Map<RequestId, Pending>()
  const listeners = new Set<(message: Notification) => void>()
  let lastId = 0
  const concerned = (about: RequestId | undefined): Pending[] =>
    [...pending].filter(([id]) => about === undefined || about === id).map(([, entry]) => entry)

  const run = (id: RequestId, message: Message, options: RequestOptions): Promise<Outcome> => {
    const kept = { notifications: [], asks: [], token: options.meta?.progressToken }
    return new Promise((resolve, reject) => {
      let answer: Response | undefined
      const fail = (reason: unknown): void => {
        pending.delete(id)
        reject(reason)
      }
      const settle = (response: Response): void => {
        answer = response
        pending.delete(id)
        if (!answersBySend) resolve(outcomeOf(response, kept))
      }
      pending.set(id, { ...kept, settle, fail })
      const cancel = (): void => {
        if (!cancelsByHangingUp) void send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        fail(options.signal?.reason)
      }
      options.signal?.addEventListener('abort', () => pending.has(id) && cancel())
      send(message, { ...options, ...(cancelsByHangingUp ? {} : { signal: undefined as never }) }).then((sent) => {
        if (answer) resolve({ ...outcomeOf(answer, kept), status: sent?.status })
        else if (sent) fail(new Error(`No answer: HTTP ${sent.status}`))
      }, fail)
    })
  }

  return {
    listeners,
    begin(method, params, options) {
      const id = ++lastId
      return { id, outcome: run(id, params ? { jsonrpc: '2.0', id, method, params } : { jsonrpc: '2.0', id, method }, options) }
    },
    settle: (response) => pending.get(response.id as RequestId)?.settle(response),
    hear(message, about) {
      const token = message.method === 'notifications/progress' ? message.params?.progressToken : undefined
      for (const listener of listeners) listener(message)
      for (const entry of concerned(about)) if (token === undefined || token === entry.token) entry.notifications.push(message)
    },
    asked(ask, about) {
      for (const entry of concerned(about)) entry.asks.push(ask)
    },
    fail(reason) {
      for (const entry of [...pending.values()]) entry.fail(reason)
    },
  }
}

function outcomeOf(response: Response, { notifications, asks }: Pick<Outcome, 'notifications' | 'asks'>): Outcome {
  const rest = { response, notifications, asks, status: undefined }
  return 'result' in response
    ? { ...rest, result: response.result, error: undefined }
    : { ...rest, result: {}, error: response.error }
}
