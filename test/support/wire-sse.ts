import type { HttpEndpoint } from './http-endpoints.ts'
import { readEvents } from './sse.ts'
import type { Receive, Wire } from './wire.ts'
import { unlessHungUp } from './wire-http.ts'
import { receiveAll } from './wire-memory.ts'

/** Opens a wire over HTTP+SSE of 2024-11-05: one stream for all received messages, POSTs to the address sent in its first event. */
export async function sseWire({ url, fetch, close }: HttpEndpoint, receive: Receive): Promise<Wire> {
  const hangUp = new AbortController()
  const { body } = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: hangUp.signal })
  if (!body) throw new Error('There is no stream')
  const events = readEvents(body)
  const first = await events.next()
  if (first.done || first.value.event !== 'endpoint') throw new Error('The stream does not begin with its endpoint')
  const endpoint = new URL(first.value.data ?? '', url).href
  void listen(events, receive)
  const post: Wire['send'] = async (message) => {
    const headers = { 'content-type': 'application/json' }
    const { status } = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(message), signal: hangUp.signal })
    if (status !== 202) throw new Error(`The message was refused with ${status}`)
    return undefined
  }
  return {
    send: (message) => post(message).catch(unlessHungUp(hangUp.signal)),
    async close() {
      hangUp.abort()
      await close()
    },
  }
}

async function listen(events: AsyncIterable<{ data?: string }>, receive: Receive): Promise<void> {
  try {
    for await (const { data } of events) if (data) receiveAll(JSON.parse(data), receive)
  } catch {
    // The stream was closed.
  }
}
