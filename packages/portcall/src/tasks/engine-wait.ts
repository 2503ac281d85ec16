import { refusal } from '../stores/remote/guard.ts'
import { within } from '../stores/within.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 15_000

/** How long to wait before something is delivered again, the first time and each time after. */
export function nextPause(before: number = FIRST_PAUSE_MS / 2): number {
  return Math.min(LONGEST_PAUSE_MS, 2 * before)
}

/** Waits for what a queue answers, but not for ever. Rejects with `StoreUnavailable` where it is silent, or fails. */
export async function answerOf<T>(name: string, answer: Promise<T>, timeoutMs: number): Promise<T> {
  try {
    return await within(answer, timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`))
  } catch (error) {
    throw refusal(name, error)
  }
}
