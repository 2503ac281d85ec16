import { enterNewest } from '../../jsonrpc/newest.ts'

/** Counts how often something was tried in a while. */
export interface Steps {
  /** Counts one more try, if there may be one. */
  take(operation: string): boolean
}

const WINDOW_MS = 600_000
const MAX_OPERATIONS = 1000

/** Allows `most` tries of each operation in ten minutes. */
export function createSteps(most: number): Steps {
  const tries = new Map<string, number[]>()
  return {
    take(operation) {
      const now = Date.now()
      const recent = (tries.get(operation) ?? []).filter((at) => now - at < WINDOW_MS)
      if (recent.length >= most) return false
      enterNewest(tries, [operation, [...recent, now]], MAX_OPERATIONS)
      return true
    },
  }
}
