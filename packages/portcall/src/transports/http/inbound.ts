import { createIncoming } from '../../jsonrpc/incoming.ts'
import type { Message, Request, Response } from '../../jsonrpc/message.ts'
import type { LinkHandlers } from '../../legacy/link.ts'

/** What a server of the legacy era says on its own, on whichever stream it comes. */
export interface Inbound {
  readonly ended: boolean
  receive(handlers: LinkHandlers): void
  /**
   * Takes one message in; a request is answered beside whatever comes next. Returns a promise while too many are being answered: nothing
   * more should be read until it resolves.
   */
  take(message: Message): void | Promise<void>
  /** Something may have been missed. */
  gap(): void
  /** Nothing will come any more: gives up what is being answered. Only the first reason counts. */
  end(reason: Error | undefined): void
}

export interface InboundOptions {
  /** Requests that are answered at the same time. */
  readonly maxAsked: number
  /** Sends an answer. */
  readonly deliver: (response: Response) => Promise<void>
  readonly onError: (error: unknown) => void
}

const CARRIED = { notify() {} }

/** Makes the way in for what a server says on its own. */
export function createInbound({ maxAsked, deliver, onError }: InboundOptions): Inbound {
  const waiters: Array<() => void> = []
  let handlers: LinkHandlers | undefined
  let running = 0
  let ended = false

  const incoming = createIncoming((request, { signal }) => {
    if (!handlers) throw new Error('Nobody receives')
    return handlers.onRequest(request, signal)
  })
  const answer = async (request: Request): Promise<void> => {
    running++
    try {
      const response = await incoming.handle(request, CARRIED)
      if (response && !ended) await deliver(response)
    } catch (error) {
      if (!ended) onError(error)
    } finally {
      running--
      waiters.shift()?.()
    }
  }

  return {
    get ended() {
      return ended
    },
    receive(given) {
      handlers = given
    },
    take(message) {
      if (ended || !('method' in message)) return
      if ('id' in message) {
        void answer(message)
        return running < maxAsked ? undefined : new Promise((wake) => waiters.push(wake))
      }
      if (message.method === 'notifications/cancelled') incoming.cancel(message.params?.requestId, message.params?.reason)
      else handlers?.onNotification(message)
    },
    gap: () => handlers?.onGap?.(),
    end(reason) {
      if (ended) return
      ended = true
      incoming.cancelAll(reason)
      handlers?.onClose(reason)
    },
  }
}
