import { channel } from 'node:diagnostics_channel'

const REQUEST_START = channel('http.server.request.start')
const RESPONSE_CREATED = channel('http.server.response.created')
const RESPONSE_FINISH = channel('http.server.response.finish')

/** Reports whether a program subscribes to the diagnostics channels of `node:http`. It would miss the requests on the fast path. */
export function isObserved(): boolean {
  return REQUEST_START.hasSubscribers || RESPONSE_CREATED.hasSubscribers || RESPONSE_FINISH.hasSubscribers
}
