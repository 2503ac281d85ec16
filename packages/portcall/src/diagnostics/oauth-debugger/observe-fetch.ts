import type { AuthFetch } from '../../auth/client/types.ts'
import { readHeaders } from '../../transports/http/client/request-headers.ts'
import type { AuthExchange, AuthStepId } from './types.ts'

/** Receives the requests and responses of a flow. */
export interface ExchangeObserver {
  /** Returns the step that sends a request to a URL. */
  stepOf(url: string): AuthStepId
  /** Called before a request is sent. The request waits for the promise. */
  beforeRequest(request: Omit<AuthExchange, 'response' | 'error' | 'durationMs'>): Promise<void>
  /** Called when the response has arrived, or when there is none. */
  onExchange(exchange: AuthExchange): void
}

/** Wraps a fetch function, so that an observer sees and can delay each request. */
export function observeFetch(fetch: AuthFetch, observer: ExchangeObserver): AuthFetch {
  let lastId = 0
  return async (input, init = {}) => {
    const { method = 'GET', headers = {}, body } = init
    const url = String(input)
    const request = {
      id: ++lastId,
      step: observer.stepOf(url),
      method,
      url,
      // A `Headers` object if oauth4webapi passes it.
      headers: readHeaders(headers),
      ...(body !== null && body !== undefined && { body: String(body) }),
    }
    await observer.beforeRequest(request)
    const startedAt = performance.now()
    const duration = (): number => Math.round(performance.now() - startedAt)
    try {
      const response = await fetch(input, init)
      const text = await response.clone().text()
      const seen = { status: response.status, headers: Object.fromEntries(response.headers), body: text }
      observer.onExchange({ ...request, response: seen, durationMs: duration() })
      return response
    } catch (error) {
      observer.onExchange({ ...request, error: error instanceof Error ? error.message : String(error), durationMs: duration() })
      throw error
    }
  }
}
