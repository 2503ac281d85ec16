import { raceAbort } from '../../../../../util/src/timers.ts'
import type { AuthorizedRequest, AuthorizedSend, Authorizer } from '../../../protocol/authorizer.ts'
import type { HttpCall, HttpCallInit } from './http-call.ts'

/** Applies an authorizer to the requests of a client. */
export interface RequestAuthorization {
  /** Returns the request with authorization headers. */
  authorize(request: HttpCallInit): Promise<HttpCallInit>
  /** Reports whether the request has to be sent again with new headers. In that case the call is released. */
  shouldRetry(call: HttpCall, request: HttpCallInit, retries: number): Promise<boolean>
}

export interface RequestAuthorizationOptions {
  readonly authorizer: Authorizer
  /** Wraps waiting for a user. */
  readonly pauseWhile: <T>(run: () => Promise<T>) => Promise<T>
  /** Aborted when the client is closed. */
  readonly closeSignal: AbortSignal
}

/** Upper limit of retries of one request, whatever the authorizer returns. */
const MAX_RETRIES = 6

export function createRequestAuthorization(options: RequestAuthorizationOptions): RequestAuthorization {
  const { authorizer, pauseWhile, closeSignal } = options
  /** Creates the signal on first read: most authorizers have a token at hand and do not need it. */
  const toAuthorizedRequest = ({ method, url, abortSource }: HttpCallInit): AuthorizedRequest & { signal: AbortSignal } => {
    let signal: AbortSignal | undefined
    return {
      method,
      url,
      get signal() {
        const requestSignal = abortSource?.signal
        signal ??= requestSignal ? AbortSignal.any([requestSignal, closeSignal]) : closeSignal
        return signal
      },
    }
  }
  const settle = <T>(value: T | Promise<T>, request: { readonly signal: AbortSignal }): T | Promise<T> =>
    value instanceof Promise ? pauseWhile(() => raceAbort(value, request.signal)) : value

  return {
    async authorize(init) {
      const request = toAuthorizedRequest(init)
      const headers = await settle(authorizer.headers(request), request)
      return { ...init, headers: { ...init.headers, ...headers } }
    },
    async shouldRetry(call, init, retries) {
      const request = toAuthorizedRequest(init)
      const { method, url } = request
      const sent: AuthorizedSend = {
        method,
        url,
        headers: init.headers,
        retries,
        get signal() {
          return request.signal
        },
      }
      try {
        if (!(await settle(authorizer.onResponse(call, sent), request)) || retries >= MAX_RETRIES) return false
      } catch (error) {
        call.release()
        throw error
      }
      call.release()
      return true
    },
  }
}
