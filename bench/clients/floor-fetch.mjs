/** A bare client on the global `fetch`: what a client on Node cannot go below when it uses that. */
import { runClient } from './harness.mjs'
import { addCall, HANDSHAKE, headersOf } from './messages.mjs'

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
