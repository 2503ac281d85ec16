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

/** Emptied when it is taken: what was in a map of the engine may live on with it for a while. */
interface Cell {
  waiting: Waiting | undefined
}

interface Waiting {
  readonly promise: Promise<Response>
  resolve(response: Response): void
  reject(reason: unknown): void
}

/** Keeps the requests that this side has sent to one peer. */
export function createOutgoing(options: OutgoingOptions = {}): Outgoing {
  const cells = new Map<RequestId | undefined, Cell>()
  let last = 0
  const nextId = options.nextId ?? (() => ++last)
  const take = (id: RequestId | undefined): Waiting | undefined => {
    const cell = cells.get(id)
    if (!cell) return undefined
    const { waiting } = cell
    cell.waiting = undefined
    cells.delete(id)
    return waiting
  }

  return {
    get size() {
      return cells.size
    },
    async ask(method, params, options) {
      const id = nextId()
      const waiting = createWaiting()
      const giveUp = (reason: unknown): void => {
        if (!take(id)) return
        waiting.reject(reason)
        options.onAbort?.(id)
      }
      const ignore = options.caller && heed(options.caller, giveUp)
      cells.set(id, { waiting })
      try {
        options.send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params })
        return await waiting.promise
      } catch (error) {
        take(id)
        throw error
      } finally {
        ignore?.()
      }
    },
    settle(response) {
      const waiting = take(response.id)
      waiting?.resolve(response)
      return waiting !== undefined
    },
    drop(id, reason) {
      const waiting = take(id)
      waiting?.reject(reason)
      return waiting !== undefined
    },
    fail(reason = new ConnectionLost()) {
      for (const id of [...cells.keys()]) take(id)?.reject(reason)
    },
  }
}

function createWaiting(): Waiting {
  let resolve!: (response: Response) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<Response>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
