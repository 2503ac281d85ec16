import { type AbortSource, onAbort } from './abort.ts'

/**
 * Lets a number of tasks run at once. Further ones wait for their turn: the owners take turns, and of each owner, the task that came first is the
 * next. No owner can take all places.
 */
export interface Turns {
  /** True if no task runs. */
  readonly isIdle: boolean
  /** True if as many tasks run as may at once. */
  readonly isFull: boolean
  /** The number of tasks that wait. */
  readonly waiting: number
  /**
   * Returns true if the task may run now. Otherwise resolves to true when it is its turn, and to false if too many wait or after the timeout.
   * A task that runs has to call `end` with the same owner. Tasks of an unknown owner, `undefined`, may take all places.
   *
   * @throws the reason for which a waiting task was aborted.
   */
  begin(source: AbortSource, owner?: unknown): true | Promise<boolean>
  end(owner?: unknown): void
}

export interface TurnsOptions {
  /** The number of tasks that may run at once. */
  readonly limit: number
  /** The number of tasks of one owner that may run at once. Default: `limit`. */
  readonly maxOwned?: number
  /** The number of further tasks that wait. Default: 0. */
  readonly maxQueued?: number
  /** How long a task waits, in milliseconds. Default: without an end. */
  readonly queueTimeoutMs?: number
}

/** The tasks of an owner. */
interface Share {
  running: number
  /** Starts a waiting task each, in order. */
  readonly waiting: Set<() => void>
}

/** So many shares are kept when they are not used: a map whose entries come and go all the time leaves garbage that lives long. */
const KEPT_SHARES = 64

export function createTurns({ limit, maxOwned = limit, maxQueued = 0, queueTimeoutMs = Infinity }: TurnsOptions): Turns {
  /** In the order in which they are served. */
  const shares = new Map<unknown, Share>()
  let running = 0
  let waiting = 0

  const shareOf = (owner: unknown): Share => {
    const known = shares.get(owner)
    if (known) return known
    const created: Share = { running: 0, waiting: new Set() }
    shares.set(owner, created)
    return created
  }
  const forgetUnused = (owner: unknown, share: Share): void => {
    if (shares.size > KEPT_SHARES && share.running === 0 && share.waiting.size === 0) shares.delete(owner)
  }
  const canRun = (owner: unknown, share: Share): boolean => running < limit && (owner === undefined || share.running < maxOwned)

  const wait = (source: AbortSource, owner: unknown, share: Share): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        share.waiting.delete(start)
        waiting--
        clearTimeout(timer)
        unsubscribe()
      }
      const start = (): void => {
        leave()
        resolve(true)
      }
      const onTimeout = (): void => {
        leave()
        forgetUnused(owner, share)
        resolve(false)
      }
      const timer = queueTimeoutMs === Infinity ? undefined : setTimeout(onTimeout, queueTimeoutMs)
      share.waiting.add(start)
      waiting++
      let unsubscribe = (): void => {}
      unsubscribe = onAbort(source, (reason) => {
        leave()
        forgetUnused(owner, share)
        reject(reason)
      })
    })
  /** Makes an owner the last one that is served. As long as nobody waits, the order does not matter. */
  const moveToEnd = (owner: unknown, share: Share): void => {
    if (waiting === 0) return
    shares.delete(owner)
    shares.set(owner, share)
  }
  /** Counts a task that runs. Its owner is served last the next time. */
  const enter = (owner: unknown, share: Share): void => {
    moveToEnd(owner, share)
    share.running++
    running++
  }
  /** Starts the task whose turn it is. */
  const startNext = (): void => {
    for (const [owner, share] of shares) {
      const [start] = share.waiting
      if (!start || !canRun(owner, share)) continue
      enter(owner, share)
      return start()
    }
  }

  return {
    get isIdle() {
      return running === 0
    },
    get isFull() {
      return running >= limit
    },
    get waiting() {
      return waiting
    },
    begin(source, owner) {
      const share = shareOf(owner)
      if (canRun(owner, share)) {
        enter(owner, share)
        return true
      }
      if (waiting < maxQueued) return wait(source, owner, share)
      forgetUnused(owner, share)
      return Promise.resolve(false)
    },
    end(owner) {
      const share = shares.get(owner)
      if (!share) return
      share.running--
      running--
      moveToEnd(owner, share)
      startNext()
      forgetUnused(owner, share)
    },
  }
}
