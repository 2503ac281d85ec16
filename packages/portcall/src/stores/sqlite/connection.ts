/*
 * The way to one database. What is written in one turn of the event loop is written in one transaction, and is acknowledged when that is
 * committed. A driver works while this process stands still, so it never waits for locks itself: a file that another process holds is
 * tried again a little later, and others are served meanwhile.
 */
import { setImmediate } from 'node:timers'
import { StoreUnavailable } from '../unavailable.ts'
import { isFull } from './failure.ts'
import { createHandle } from './handle.ts'
import { createPatience } from './patience.ts'
import type { Session } from './session.ts'

/** How a connection is made. */
export interface ConnectionOptions {
  /** Opens the database, in the newest version. @throws StoreUnavailable. */
  open(): Session
  /** Holds the bounds: runs after all writes of a transaction. */
  tidy(session: Session): void
  /** How long a file may be held by somebody else. */
  patienceMs: number
}

/** Reads and writes one database. */
export interface Connection {
  /** Runs something that only reads. */
  read<T>(run: (session: Session) => T): Promise<T>
  /** Runs something that writes, after all that was asked for before, together with others; resolves when it is committed. */
  write<T>(run: (session: Session) => T): Promise<T>
  /** Finishes what is being written and closes the database. */
  close(): Promise<void>
}

interface Write {
  run(session: Session): void
  resolve(): void
  reject(error: unknown): void
}

/** Makes a connection, and opens the database unless somebody holds it just now. */
export function createConnection({ open, tidy, patienceMs }: ConnectionOptions): Connection {
  const handle = createHandle(open)
  const patiently = createPatience(patienceMs)
  let waiting: Write[] = []
  let flushing = Promise.resolve()

  const takeAll = (): Write[] => {
    const all = waiting
    waiting = []
    return all
  }
  /** Begins a transaction and runs writes in it. @throws only when it cannot begin. */
  const transact = (take: () => readonly Write[]): void => {
    handle.use((session) => session.run('BEGIN IMMEDIATE'))
    const writes = take()
    try {
      handle.use((session) => commit(session, writes, tidy))
    } catch (error) {
      if (isFull(error) && writes.length > 1) for (const write of writes) alone(write)
      else for (const { reject } of writes) reject(error)
    }
  }
  /** What is too large for the room that is left takes no others along. */
  const alone = (write: Write): void => {
    try {
      transact(() => [write])
    } catch (error) {
      write.reject(error)
    }
  }
  const flush = async (): Promise<void> => {
    try {
      await patiently(() => transact(takeAll))
    } catch (error) {
      for (const { reject } of takeAll()) reject(error)
    }
  }

  handle.tryOpen()
  return {
    read: (run) => patiently(() => handle.use(run)),
    write: (run) =>
      new Promise((resolve, reject) => {
        const write = prepare(run, { resolve, reject })
        if (waiting.push(write) === 1) flushing = new Promise((done) => setImmediate(() => done(flush())))
      }),
    async close() {
      await flushing
      handle.close()
    },
  }
}

/** Keeps what a write gives until it is committed. What it throws on its own concerns no others. */
function prepare<T>(
  run: (session: Session) => T,
  { resolve, reject }: { resolve(value: T): void; reject(error: unknown): void },
): Write {
  let settle: (() => void) | undefined
  return {
    run(session) {
      try {
        const value = run(session)
        settle = () => resolve(value)
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error
        settle = () => reject(error)
      }
    },
    resolve: () => settle?.(),
    reject,
  }
}

function commit(session: Session, writes: readonly Write[], tidy: (session: Session) => void): void {
  try {
    for (const write of writes) write.run(session)
    tidy(session)
    session.run('COMMIT')
  } catch (error) {
    try {
      session.run('ROLLBACK')
    } catch {
      // SQLite has done it already.
    }
    throw error
  }
  for (const { resolve } of writes) resolve()
}
