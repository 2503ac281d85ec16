/**
 * A server behind the HTTP transport of the first revision: one GET stream carries everything to the client, and tells it by its first event
 * where to POST. When that stream ends, so does the session.
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import { ConnectionLost, UnreadableAnswer } from '../../jsonrpc/errors.ts'
import { type Message, notification } from '../../jsonrpc/message.ts'
import { createOutgoing } from '../../jsonrpc/outgoing.ts'
import type { LegacyLink } from '../../legacy/link.ts'
import { lost } from './call.ts'
import { GET_HEADERS, lowerCase, POST_HEADERS } from './client-headers.ts'
import type { PostOptions } from './client-session.ts'
import { Header } from './headers.ts'
import { createInbound } from './inbound.ts'
import { isEventStream } from './media.ts'
import { readMessages, readStatus, unanswered } from './messages.ts'
import { createRemote, type HttpClientOptions, type Remote } from './remote.ts'
import { SessionLost } from './session-lost.ts'
import type { ReceivedEvent } from './sse-decode.ts'

/** Reaches a server of the first HTTP transport at the URL of its stream, which is opened when somebody receives. */
export function createSse2024Link(options: HttpClientOptions): LegacyLink {
  const remote = createRemote(options)
  const { limits, onError } = remote
  const outgoing = createOutgoing()
  const mailbox = createMailbox(remote)

  const post = async (message: Message, { headers, ...rest }: PostOptions = {}): Promise<void> => {
    const url = await mailbox.address
    const all = { ...(headers && lowerCase(headers)), ...POST_HEADERS }
    const call = await remote.send({
      method: 'POST',
      url,
      headers: all,
      body: JSON.stringify(message),
      withinMs: limits.acceptMs,
      ...rest,
    })
    if (call.status === 404) throw new SessionLost(`${call.where} does not know the session any more`)
    if (!call.ok) throw await readStatus(call)
    call.release()
  }
  const inbound = createInbound({ maxAsked: limits.maxAsked, deliver: post, onError })
  const end = (reason: Error): void => {
    mailbox.close(reason)
    outgoing.fail(reason)
    inbound.end(reason)
    void remote.close()
  }

  return {
    receive(handlers) {
      inbound.receive(handlers)
      const take = (message: Message): void | Promise<void> => {
        if ('method' in message) return inbound.take(message)
        outgoing.settle(message)
      }
      const late = lost(remote.url.origin, `it has not told within ${limits.acceptMs} ms where messages go`)
      const timer = setTimeout(() => end(late), limits.acceptMs)
      void mailbox.address.catch(() => {}).finally(() => clearTimeout(timer))
      void listen(remote, take, mailbox.open).catch(end)
    },
    notify: post,
    async ask(method, params, { signal, send } = {}) {
      const failed = new AbortController()
      const caller = { signal: signal ? AbortSignal.any([signal, failed.signal]) : failed.signal }
      return outgoing.ask(method, params, {
        caller,
        send: (request) => void post(request, { headers: send?.headers, caller }).catch((error) => failed.abort(error)),
        onAbort(requestId) {
          if (signal?.aborted && method !== 'initialize')
            void post(notification('notifications/cancelled', { requestId })).catch(onError)
        },
      })
    },
    async opened() {},
    async close() {
      inbound.end(undefined)
      end(new ConnectionLost('The connection was closed', { retryable: false }))
    },
  }
}

/** Reads the stream until it ends, and always rejects with the reason. */
async function listen(
  remote: Remote,
  take: (message: Message) => void | Promise<void>,
  onOther: (event: ReceivedEvent) => void,
): Promise<never> {
  const call = await remote.send({ method: 'GET', headers: GET_HEADERS })
  if (!call.ok) throw await readStatus(call)
  if (!isEventStream(call.header(Header.contentType))) {
    call.release()
    throw new UnreadableAnswer(
      `${call.where} answered with ${call.header(Header.contentType) ?? 'no content type'} instead of events`,
    )
  }
  for await (const message of readMessages(call, {}, onOther)) await take(message)
  throw unanswered(call)
}

/** Where the messages of a client go: nobody knows before the server has told. */
interface Mailbox {
  readonly address: Promise<URL>
  /** Takes the address out of the first event that tells one; it stays what it is. @throws UnreadableAnswer when it is of another origin. */
  open(event: ReceivedEvent): void
  close(reason: Error): void
}

function createMailbox({ url }: Remote): Mailbox {
  let open!: (address: URL) => void
  let close!: (reason: Error) => void
  const address = new Promise<URL>((resolve, reject) => {
    open = resolve
    close = reject
  })
  address.catch(() => {})
  return {
    address,
    close,
    open({ event, data = '' }) {
      if (event !== 'endpoint') return
      const told = URL.canParse(data, url.href) ? new URL(data, url) : undefined
      if (told?.origin !== url.origin)
        throw new UnreadableAnswer(`${url.origin} wants messages to be sent to another origin: ${data.slice(0, 100)}`)
      open(told)
    },
  }
}
