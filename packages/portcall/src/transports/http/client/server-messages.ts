import { createIncomingRequests, PeerRequestContext } from '../../../jsonrpc/incoming-requests.ts'
import type { Message, Request, Response } from '../../../jsonrpc/message.ts'
import type { ConnectionHandlers, OutgoingContext } from '../../../legacy/client/connection.ts'

/** Handles the requests and notifications of a legacy server, whichever stream they arrive on. */
export interface ServerMessages {
  readonly closed: boolean
  receive(handlers: ConnectionHandlers): void
  /**
   * Handles one message, which may belong to a request with the context `origin`. A request is answered in the background. Returns a promise at the limit of concurrent requests; read nothing more
   * until it resolves.
   */
  handle(message: Message, origin?: OutgoingContext): void | Promise<void>
  /** Reports that messages may have been missed. */
  reportGap(): void
  /** Cancels the requests that are being answered. Only the first reason is reported. */
  close(reason: Error | undefined): void
}

export interface ServerMessagesOptions {
  /** Maximum number of requests answered at the same time. */
  readonly maxInboundRequests: number
  readonly sendResponse: (response: Response) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Notifications about a server's request are not sent. */
const SENDER = { notify() {} }

export function createServerMessages({ maxInboundRequests, sendResponse, onError }: ServerMessagesOptions): ServerMessages {
  const waiters: Array<() => void> = []
  let handlers: ConnectionHandlers | undefined
  let running = 0
  let closed = false
  const origins = new WeakMap<Request, OutgoingContext>()

  const incoming = createIncomingRequests((request, { signal }) => {
    if (!handlers) throw new Error('The connection has no handlers')
    return handlers.onRequest(request, signal, origins.get(request))
  })
  const handleRequest = async (request: Request, origin: OutgoingContext | undefined): Promise<void> => {
    running++
    if (origin) origins.set(request, origin)
    try {
      const response = await incoming.handle(request, new PeerRequestContext(SENDER))
      if (response && !closed) await sendResponse(response)
    } catch (error) {
      if (!closed) onError(error)
    } finally {
      running--
      waiters.shift()?.()
    }
  }

  return {
    get closed() {
      return closed
    },
    receive(connectionHandlers) {
      handlers = connectionHandlers
    },
    handle(message, origin) {
      if (closed || !('method' in message)) return
      if ('id' in message) {
        void handleRequest(message, origin)
        return running < maxInboundRequests ? undefined : new Promise((resolve) => waiters.push(resolve))
      }
      if (message.method === 'notifications/cancelled') incoming.cancel(message.params?.requestId, message.params?.reason)
      else handlers?.onNotification(message, origin)
    },
    reportGap: () => handlers?.onGap?.(),
    close(reason) {
      if (closed) return
      closed = true
      incoming.cancelAll(reason)
      handlers?.onClose(reason)
    },
  }
}
