/** A minimal client on the global `fetch`: the lower bound for clients that use it on Node. */

import { addCall, HANDSHAKE, headersOf } from './messages.mjs'
import { runClient } from './run-client.mjs'

const post = (url, headers, message) => fetch(url, { method: 'POST', headers, body: JSON.stringify(message) })

await runClient(async ({ mode, url }) => {
  let headers = headersOf(mode)
  for (const message of mode === 'session' ? HANDSHAKE : []) {
    const response = await post(url, headers, message)
    await response.text()
    headers = { 'mcp-session-id': response.headers.get('mcp-session-id'), ...headers }
  }
  let lastId = 0
  return async (a, b) => {
    const response = await post(url, headers, addCall(mode, ++lastId, { a, b }))
    return (await response.json()).result.structuredContent.sum
  }
})
