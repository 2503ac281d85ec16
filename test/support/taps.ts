import type { Channel, Exchange, HttpFetch } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import type { HttpDoor } from './http-doors.ts'
import type { Tap } from './recorder.ts'
import { parseEvent } from './sse.ts'

/** A channel that is listened in on, at the end of the client. */
export function tapChannel(channel: Channel, tap: Tap): Channel {
  return {
    send(message) {
      tap.sent(message)
      return channel.send(message)
    },
    receive(onReceived, onClose) {
      channel.receive((received) => {
        if ('value' in received) tap.received(received.value)
        onReceived(received)
      }, onClose)
    },
    close: () => channel.close(),
  }
}

/** A server in this process that is listened in on. */
export function tapExchange(exchange: Exchange, tap: Tap): Exchange {
  return async (request, context) => {
    tap.sent(request)
    const notify: typeof context.notify = (notification) => {
      tap.received(notification)
      return context.notify(notification)
    }
    const response = await exchange(request, { signal: context.signal, notify })
    if (!context.signal.aborted) tap.received(response)
    return response
  }
}

/** Sends the HTTP requests of a client through a door, and listens in. */
export function tapFetch(door: HttpDoor, tap: Tap): HttpFetch {
  const send: (...args: Parameters<HttpFetch>) => ReturnType<HttpFetch> = (url, { method, headers, body }) => {
    const hangUp = new AbortController()
    const message = body === undefined ? undefined : (JSON.parse(body) as JsonObject)
    tap.head({ method, url: url.href, headers, message })
    if (message) tap.sent(message)
    const init = { method, headers, signal: hangUp.signal, ...(body !== undefined && { body }) }
    const answer = door.fetch(url.href, init).then((response) => ({
      status: response.status,
      header: (name: string) => response.headers.get(name) ?? undefined,
      body: tapBody(response, tap),
    }))
    return { answer, cancel: () => hangUp.abort(new Error('Nobody waits any more')) }
  }
  return Object.assign(send, { close() {} })
}

async function* tapBody({ headers, body }: Response, tap: Tap): AsyncGenerator<Uint8Array> {
  const read = tapAnswer(headers.get('content-type'), tap)
  for await (const bytes of body ?? []) {
    read(bytes)
    yield bytes
  }
}

/** Makes what reads the messages of an answer as its bytes pass. */
export function tapAnswer(contentType: string | null | undefined, tap: Tap): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  let rest = ''
  const readEvents = (): void => {
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const { event = 'message', data } = parseEvent(block)
      if (event === 'message' && data) tap.received(JSON.parse(data))
    }
  }
  const readJson = (): void => {
    try {
      tap.received(JSON.parse(rest))
    } catch {
      // There is more to come, or it is no message.
    }
  }
  const isStream = contentType?.startsWith('text/event-stream')
  return (bytes) => {
    rest += decoder.decode(bytes, { stream: true })
    if (isStream) readEvents()
    else readJson()
  }
}
