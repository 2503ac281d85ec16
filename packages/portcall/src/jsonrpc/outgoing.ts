import { ConnectionLost } from './errors.ts'
import { type Caller, heed } from './exchange.ts'
import type { Request, RequestId, Response } from './message.ts'

/** How long an asked peer may take, and what to do with an answer that nobody waits for. */
export interface OutgoingOptions {
  /** Makes the ids; they have to differ from all others that this side uses. */
  nextId?: () => RequestId
}

/** The requests that this side has sent and that are not yet answered. */
export interface Outgoing {
  readonly size: number
  /**
   * Sends a request and resolves to the answer. Rejects with `ConnectionLost` when the peer goes away, with what `send` throws,
   * and with the caller's reason when it gives up; `onAbort` is then told the id, so that the peer can be told too. What was
   * aborted from the start is not sent, and `onAbort` is not called.
   */
  ask(method: string, params: Request['params'], options: AskOptions): Promise<Response>
  /** Takes an answer in; an unknown id is ignored. Tells whether somebody was waiting for it. */
  settle(response: Response): boolean
  /** Fails one request; an unknown id is ignored. Tells whether somebody was waiting for it. */
  drop(id: RequestId | undefined, reason: Error): boolean
  /** Fails everything that waits. */
  fail(reason?: Error): void
}

export interface AskOptions {
  send: (request: Request) => void
  caller?: Caller | undefined
  onAbort?: ((id: RequestId) => void) | undefined
}

interface Waiting {
  resolve(response: Response): void
  reject(reason: unknown): void
}

/** Keeps the requests that this side has sent to one peer. */
export function createOutgoing(options: OutgoingOptions = {}): Outgoing {
  const waiting = new Map<RequestId, Waiting>()
  let last = 0
  const nextId = options.nextId ?? (() => ++last)
  const take = (id: RequestId | undefined): Waiting | undefined => {
    const entry = id === undefined ? undefined : waiting.get(id)
    if (id !== undefined) waiting.delete(id)
    return entry
  }

  return {
    get size() {
      return waiting.size
    },
    async ask(method, params, options) {
      const id = nextId()
      const { promise, resolve, reject } = deferred<Response>()
      const giveUp = (reason: unknown): void => {
        if (!waiting.delete(id)) return
        reject(reason)
        options.onAbort?.(id)
      }
      const ignore = options.caller && heed(options.caller, giveUp)
      waiting.set(id, { resolve, reject })
      try {
        options.send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params })
        return await promise
      } catch (error) {
        waiting.delete(id)
        throw error
      } finally {
        ignore?.()
      }
    },
    settle(response) {
      const entry = take(response.id)
      entry?.resolve(response)
      return entry !== undefined
    },
    drop(id, reason) {
      const entry = take(id)
      entry?.reject(reason)
      return entry !== undefined
    },
    fail(reason = new ConnectionLost()) {
      const entries = [...waiting.values()]
      waiting.clear()
      for (const entry of entries) entry.reject(reason)
    },
  }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
