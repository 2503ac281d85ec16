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
  drop(id: RequestId | undefined, reason: unknown): boolean
  /** Fails everything that waits. */
  fail(reason?: Error): void
}

export interface AskOptions {
  send: (request: Request) => void
  caller?: Caller | undefined
  onAbort?: ((id: RequestId) => void) | undefined
  /** Hears that the request is over, whatever came of it; not when it was aborted from the start. */
  onOver?: ((id: RequestId) => void) | undefined
}

/** Emptied when it is taken: what was in a map of the engine may live on with it for a while. */
interface Cell {
  waiting: Waiting | undefined
}

interface Waiting {
  resolve(response: Response): void
  reject(reason: unknown): void
  readonly onOver: AskOptions['onOver']
  /** Hears no more of the caller. */
  readonly ignore: (() => void) | undefined
}

/** Keeps the requests that this side has sent to one peer. */
export function createOutgoing(options: OutgoingOptions = {}): Outgoing {
  const cells = new Map<RequestId | undefined, Cell>()
  let last = 0
  const nextId = options.nextId ?? (() => ++last)
  const take = (id: RequestId | undefined): Waiting | undefined => {
    const cell = cells.get(id)
    const waiting = cell?.waiting
    if (!cell || !waiting) return undefined
    cell.waiting = undefined
    cells.delete(id)
    waiting.ignore?.()
    waiting.onOver?.(id as RequestId)
    return waiting
  }
  const drop: Outgoing['drop'] = (id, reason) => {
    const waiting = take(id)
    waiting?.reject(reason)
    return waiting !== undefined
  }

  return {
    get size() {
      return cells.size
    },
    ask: (method, params, { send, caller, onAbort, onOver }) =>
      new Promise((resolve, reject) => {
        const id = nextId()
        const giveUp = (reason: unknown): void => {
          if (drop(id, reason)) onAbort?.(id)
        }
        const ignore = caller && heed(caller, giveUp)
        cells.set(id, { waiting: { resolve, reject, onOver, ignore } })
        try {
          send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params })
        } catch (error) {
          drop(id, error)
        }
      }),
    settle(response) {
      const waiting = take(response.id)
      waiting?.resolve(response)
      return waiting !== undefined
    },
    drop,
    fail(reason = new ConnectionLost()) {
      for (const id of [...cells.keys()]) drop(id, reason)
    },
  }
}
