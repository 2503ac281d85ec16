/** The HTTP client baseline: `node:http` with keep-alive connections, JSON.stringify, JSON.parse. */
import { Agent, request } from 'node:http'
import { addCall, HANDSHAKE, headersOf } from './messages.mjs'
import { runClient } from './run-client.mjs'

const agent = new Agent({ keepAlive: true })

/** Sends one POST and returns the message and the head of the response. */
function post(url, headers, message) {
  const body = JSON.stringify(message)
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
        resolve({ head: response.headers, message: text.length ? JSON.parse(text) : undefined })
      })
    })
    sent.end(body)
  })
}

await runClient(async ({ mode, url: address }) => {
  const url = new URL(address)
  let headers = headersOf(mode)
  for (const message of mode === 'session' ? HANDSHAKE : []) {
    const { head } = await post(url, headers, message)
    headers = { 'mcp-session-id': head['mcp-session-id'], ...headers }
  }
  let lastId = 0
  return async (a, b) => {
    const { message } = await post(url, headers, addCall(mode, ++lastId, { a, b }))
    return message.result.structuredContent.sum
  }
})
