import { clearTimeout, setTimeout } from 'node:timers'

/** Requests to another process that are not answered yet. */
export interface PendingReplies<T> {
  /** Sends a request with a new id. Resolves to the reply, or to `undefined` if there is none in time. */
  request(send: (id: number) => void): Promise<T | undefined>
  /** Settles the request with the id of a reply. */
  settle(id: number, reply: T): void
}

export function createPendingReplies<T>(timeoutMs: number): PendingReplies<T> {
  const pending = new Map<number, (reply: T | undefined) => void>()
  let lastId = 0
  return {
    request(send) {
      const id = ++lastId
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish(undefined), timeoutMs)
        const finish = (reply: T | undefined): void => {
          clearTimeout(timer)
          pending.delete(id)
          resolve(reply)
        }
        pending.set(id, finish)
        send(id)
      })
    },
    settle: (id, reply) => pending.get(id)?.(reply),
  }
}
