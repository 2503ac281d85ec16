import type { WorkOptions } from './engine.ts'
import { createLookout } from './lookout.ts'

/** Those in this process who work on the entries of a queue. */
export interface Crew {
  /** Begins with an entry; tells whether somebody was free. */
  take(key: string): boolean
  /** Looks for entries, now and then now and again. */
  look(): void
  /** Begins with nothing more; resolves when all that was begun is settled. */
  close(): Promise<void>
}

export interface CrewOptions extends WorkOptions {
  readonly pollMs: number
  list(after: string | undefined, limit: number): Promise<string[]>
  work(key: string): Promise<'done' | 'later'>
  remove(key: string): Promise<void>
}

const PAGE = 100
const FIRST_PAUSE_MS = 100

/** An entry that is not to be begun with before `until`. */
interface Held {
  readonly until: number
  readonly pauseMs: number
}

export function createCrew(options: CrewOptions): Crew {
  const { concurrency, pollMs, onError } = options
  const busy = new Map<string, Promise<void>>()
  const held = new Map<string, Held>()
  let closed = false

  const isFree = (key: string): boolean =>
    !closed && busy.size < concurrency && !busy.has(key) && (held.get(key)?.until ?? -Infinity) <= performance.now()
  const hold = (key: string): void => {
    const pauseMs = Math.min(pollMs, 2 * (held.get(key)?.pauseMs ?? FIRST_PAUSE_MS / 2))
    held.set(key, { until: performance.now() + pauseMs, pauseMs })
    lookout.lookIn(pauseMs)
  }
  const work = async (key: string): Promise<void> => {
    try {
      if ((await options.work(key)) === 'later') return hold(key)
      held.delete(key)
      await options.remove(key)
    } catch (error) {
      onError(error)
      hold(key)
    }
  }
  const take = (key: string): boolean => {
    if (!isFree(key)) return false
    const over = (): void => {
      const wasFull = busy.size >= concurrency
      busy.delete(key)
      if (wasFull) lookout.look()
    }
    busy.set(key, work(key).finally(over))
    return true
  }

  /** Goes through all entries while somebody is free. */
  const lookThrough = async (): Promise<void> => {
    const seen = new Set<string>()
    let after: string | undefined
    while (!closed && busy.size < concurrency) {
      const keys = await options.list(after, PAGE)
      for (const key of keys) {
        seen.add(key)
        take(key)
      }
      after = keys.at(-1)
      if (keys.length === PAGE) continue
      for (const key of held.keys()) if (!seen.has(key) && !busy.has(key)) held.delete(key)
      return
    }
  }
  const lookout = createLookout({ pollMs, lookThrough, onError })

  return {
    take,
    look: lookout.look,
    async close() {
      closed = true
      await lookout.close()
      await Promise.all(busy.values())
    },
  }
}
