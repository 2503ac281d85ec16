/** The diagnostics channels of `node:http`. Their subscribers would miss the requests on the fast path. */
import { channel } from 'node:diagnostics_channel'

/** Emits a message for each request. */
export const REQUEST_START: ReturnType<typeof channel> = channel('http.server.request.start')

/** Emits a message for each response when it is created. */
export const RESPONSE_CREATED: ReturnType<typeof channel> = channel('http.server.response.created')

/** Emits a message for each response when it was sent. */
export const RESPONSE_FINISH: ReturnType<typeof channel> = channel('http.server.response.finish')
