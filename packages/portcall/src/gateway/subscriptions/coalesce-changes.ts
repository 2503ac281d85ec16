import { unref } from '../../../../util/src/timers.ts'
import type { SubjectNotification } from './subject-notification.ts'

/** Passes on changes of lists, a few for many. */
export interface CoalescedChanges {
  /** Passes on the first change of a list immediately, and then the last one of each interval. */
  add(change: SubjectNotification): void
  close(): void
}

/** The time in which changes are one. It doubles while a list keeps changing, since each change makes the client fetch the list. */
const INTERVAL = { firstMs: 250, maxMs: 4000 }

interface Interval {
  readonly ms: number
  readonly timer: ReturnType<typeof setTimeout>
  /** The last change in the interval. */
  last: SubjectNotification | undefined
}

export function coalesceChanges(deliver: (change: SubjectNotification) => void): CoalescedChanges {
  const intervals = new Map<string, Interval>()
  const begin = (change: SubjectNotification, ms: number): void => {
    const timer = unref(setTimeout(() => end(change.subject), ms))
    intervals.set(change.subject, { ms, timer, last: undefined })
    deliver(change)
  }
  const end = (subject: string): void => {
    const { last, ms } = intervals.get(subject) as Interval
    intervals.delete(subject)
    if (last) begin(last, Math.min(2 * ms, INTERVAL.maxMs))
  }
  return {
    add(change) {
      const current = intervals.get(change.subject)
      if (current) current.last = change
      else begin(change, INTERVAL.firstMs)
    },
    close() {
      for (const { timer } of intervals.values()) clearTimeout(timer)
      intervals.clear()
    },
  }
}
