import { within } from '../within.ts'
import { RemoteFailure } from './failure.ts'
import { createPauses } from './pauses.ts'

export interface SlotOptions<C> {
  /** Opens a connection; `onLost` is to be called when it ends by itself. */
  open(onLost: () => void): Promise<C>
  /** Ends a connection, whatever it is doing. */
  end(connection: C): void
  /** Opening takes at most so long. */
  timeoutMs: number
  /** Is told when the connection was lost or dropped. */
  onGone?(): void
}

/** Room for one connection, which is opened when it is needed, and again when it is needed after it was lost. */
export interface Slot<C> {
  /** The connection that is open; nothing when there is none. */
  readonly open: C | undefined
  /** The connection, opened if need be. Rejects with an unsent `RemoteFailure`, also when the next attempt is not due yet. */
  get(): Promise<C>
  /** Ends the connection. The next `get` opens another one. */
  drop(): void
}

const FIRST_PAUSE_MS = 25

export function createSlot<C>({ open, end, timeoutMs, onGone }: SlotOptions<C>): Slot<C> {
  let current: C | undefined
  let opening: Promise<C> | undefined
  let pauses = createPauses(FIRST_PAUSE_MS)
  let due = 0
  let reason: unknown

  const forget = (connection: C): void => {
    if (current !== connection) return
    current = undefined
    onGone?.()
  }
  const begin = async (): Promise<C> => {
    let lost = false
    const attempt: Promise<C> = open(() => {
      lost = true
      void attempt.then(forget, () => {})
    })
    try {
      const connection = await within(attempt, timeoutMs, () => new Error(`no connection within ${timeoutMs} ms`))
      if (lost) throw new Error('the connection was lost at once')
      pauses = createPauses(FIRST_PAUSE_MS)
      current = connection
      return connection
    } catch (error) {
      attempt.then(end, () => {})
      reason = error
      due = performance.now() + pauses()
      throw new RemoteFailure('unsent', error)
    } finally {
      opening = undefined
    }
  }

  return {
    get open() {
      return current
    },
    async get() {
      if (current !== undefined) return current
      if (opening) return opening
      if (performance.now() < due) throw new RemoteFailure('unsent', reason)
      opening = begin()
      return opening
    },
    drop() {
      if (current === undefined) return
      const connection = current
      forget(connection)
      end(connection)
    },
  }
}
