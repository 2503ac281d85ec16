import type { Channel, Exchange, HttpFetch } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import type { HttpEndpoint } from './http-endpoints.ts'
import type { MessageObserver } from './recorder.ts'
import { parseEvent } from './sse.ts'

/** Wraps the client end of a channel and reports its messages to an observer. */
export function observeChannel(channel: Channel, observer: MessageObserver): Channel {
  return {
    send(message) {
      observer.sent(message)
      return channel.send(message)
    },
    receive(onReceived, onClose) {
      channel.receive((received) => {
        if ('value' in received) observer.received(received.value)
        onReceived(received)
      }, onClose)
    },
    close: () => channel.close(),
  }
}

/** Wraps the exchange of an in-process server and reports its messages to an observer. */
export function observeExchange(exchange: Exchange, observer: MessageObserver): Exchange {
  return async (request, context) => {
    observer.sent(request)
    const notify: typeof context.notify = (notification) => {
      observer.received(notification)
      return context.notify(notification)
    }
    const response = await exchange(request, { signal: context.signal, notify })
    if (!context.signal.aborted) observer.received(response)
    return response
  }
}

/** Sends the HTTP requests of a client to an endpoint and reports the messages to an observer. */
export function observeFetch(endpoint: HttpEndpoint, observer: MessageObserver): HttpFetch {
  const send: (...args: Parameters<HttpFetch>) => ReturnType<HttpFetch> = (url, { method, headers, body }) => {
    const controller = new AbortController()
    const message = body === undefined ? undefined : (JSON.parse(body) as JsonObject)
    observer.head({ method, url: url.href, headers, message })
    if (message) observer.sent(message)
    const init = { method, headers, signal: controller.signal, ...(body !== undefined && { body }) }
    const answer = endpoint.fetch(url.href, init).then((response) => ({
      status: response.status,
      header: (name: string) => response.headers.get(name) ?? undefined,
      body: observeBody(response, observer),
    }))
    return { response: answer, cancel: () => controller.abort(new Error('The request was cancelled')) }
  }
  return Object.assign(send, { close() {} })
}

async function* observeBody({ headers, body }: Response, observer: MessageObserver): AsyncGenerator<Uint8Array> {
  const read = createBodyObserver(headers.get('content-type'), observer)
  for await (const bytes of body ?? []) {
    read(bytes)
    yield bytes
  }
}

/** Creates a function that takes the bytes of a response body as they arrive and reports its messages. */
export function createBodyObserver(
  contentType: string | null | undefined,
  observer: MessageObserver,
): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  let buffer = ''
  const readEvents = (): void => {
    const blocks = buffer.split(/\r?\n\r?\n/)
    buffer = blocks.pop() ?? ''
    for (const block of blocks) {
      const { event = 'message', data } = parseEvent(block)
      if (event === 'message' && data) observer.received(JSON.parse(data))
    }
  }
  const readJson = (): void => {
    try {
      observer.received(JSON.parse(buffer))
    } catch {
      // The body is incomplete or not a message.
    }
  }
  const isStream = contentType?.startsWith('text/event-stream')
  return (bytes) => {
    buffer += decoder.decode(bytes, { stream: true })
    if (isStream) readEvents()
    else readJson()
  }
}
