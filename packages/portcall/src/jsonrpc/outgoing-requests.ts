import { type AbortSource, onAbort } from '../../../util/src/abort.ts'
import { BriefMap } from '../../../util/src/linked-set.ts'
import { ConnectionLostError } from './errors.ts'
import type { Request, RequestId, Response } from './message.ts'

export interface OutgoingRequestsOptions {
  /** Creates the request ids, which must be unique on the connection. Default: 1, 2, 3 … */
  nextId?: () => RequestId
}

/** The requests that this side has sent and that have no response yet. */
export interface OutgoingRequests {
  readonly size: number
  /**
   * Sends a request and resolves to its response. A request that is aborted before it is sent is never sent.
   *
   * @throws ConnectionLostError when the peer disconnects; the abort reason; whatever `send` throws.
   */
  request(method: string, params: Request['params'], options: SendOptions): Promise<Response>
  /** Resolves the request that the response belongs to. Returns whether it was pending. */
  settle(response: Response): boolean
  /** Rejects one request. Returns whether it was pending. */
  reject(id: RequestId | undefined, reason: unknown): boolean
  /** Rejects all pending requests, by default with `ConnectionLostError`. */
  rejectAll(reason?: Error): void
}

export interface SendOptions {
  send: (request: Request) => void
  abortSource?: AbortSource | undefined
  /** Called when a request is aborted after it was sent, to tell the peer. */
  sendCancellation?: ((id: RequestId) => void) | undefined
  /** Called when a request that was sent is over, whatever the outcome. */
  onSettled?: ((id: RequestId) => void) | undefined
}

interface Pending {
  resolve(response: Response): void
  reject(reason: unknown): void
  readonly onSettled: SendOptions['onSettled']
  readonly unsubscribe: (() => void) | undefined
}

export function createOutgoingRequests(options: OutgoingRequestsOptions = {}): OutgoingRequests {
  const open = new BriefMap<RequestId | undefined, Pending>()
  let lastId = 0
  const nextId = options.nextId ?? (() => ++lastId)
  const take = (id: RequestId | undefined): Pending | undefined => {
    const pending = open.get(id)
    if (!pending) return undefined
    open.delete(id)
    pending.unsubscribe?.()
    pending.onSettled?.(id as RequestId)
    return pending
  }
  const rejectOne: OutgoingRequests['reject'] = (id, reason) => {
    const pending = take(id)
    pending?.reject(reason)
    return pending !== undefined
  }

  return {
    get size() {
      return open.size
    },
    request: (method, params, { send, abortSource, sendCancellation, onSettled }) =>
      new Promise((resolve, reject) => {
        const id = nextId()
        let isAborted = false
        const abort = (reason: unknown): void => {
          if (rejectOne(id, reason)) return sendCancellation?.(id)
          isAborted = true
          reject(reason)
        }
        const unsubscribe = abortSource && onAbort(abortSource, abort)
        if (isAborted) return
        open.set(id, { resolve, reject, onSettled, unsubscribe })
        try {
          send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params })
        } catch (error) {
          rejectOne(id, error)
        }
      }),
    settle(response) {
      const pending = take(response.id)
      pending?.resolve(response)
      return pending !== undefined
    },
    reject: rejectOne,
    rejectAll(reason = new ConnectionLostError()) {
      for (const [id] of [...open]) rejectOne(id, reason)
    },
  }
}
