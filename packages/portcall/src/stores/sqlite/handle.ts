import { StoreUnavailable } from '../unavailable.ts'
import { isBusy, isFull } from './failure.ts'
import type { Session } from './session.ts'

/** A database that is opened when it is needed. */
export interface Handle {
  /** Runs something with the open database. @throws StoreUnavailable, and what `run` throws. */
  use<T>(run: (session: Session) => T): T
  /** Opens it now, but for somebody who holds it. @throws StoreUnavailable. */
  tryOpen(): void
  close(): void
}

/** Makes a handle. A database that fails, but for a lock or want of room, is opened anew for the next who uses it. */
export function createHandle(open: () => Session): Handle {
  let session: Session | undefined
  let isClosed = false

  const drop = (): void => {
    const dropped = session
    session = undefined
    try {
      dropped?.close()
    } catch {
      // It is gone all the same.
    }
  }
  const use = <T>(run: (session: Session) => T): T => {
    if (isClosed) throw new Error('This store is closed')
    try {
      session ??= open()
      return run(session)
    } catch (error) {
      if (error instanceof StoreUnavailable && !isBusy(error) && !isFull(error)) drop()
      throw error
    }
  }
  return {
    use,
    tryOpen() {
      try {
        use(() => {})
      } catch (error) {
        if (!isBusy(error)) throw error
      }
    },
    close() {
      isClosed = true
      drop()
    },
  }
}
