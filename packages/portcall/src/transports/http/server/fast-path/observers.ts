import { channel } from 'node:diagnostics_channel'

const REQUEST_START = channel('http.server.request.start')
const RESPONSE_CREATED = channel('http.server.response.created')
const RESPONSE_FINISH = channel('http.server.response.finish')

/** Reports whether someone subscribed to the diagnostics channels of `node:http`, and would miss the requests on the fast path. */
export function hasHttpObservers(): boolean {
  return REQUEST_START.hasSubscribers || RESPONSE_FINISH.hasSubscribers || RESPONSE_CREATED.hasSubscribers
}
