import { vi } from 'vitest'

/** How long tests wait for something to happen. A machine may be slow, or paused for seconds. */
export const EVENTUALLY_TIMEOUT_MS = 45_000

/** Calls `check` every `intervalMs` milliseconds until it does not throw, and returns its result. */
export const eventually = <T>(check: () => T | Promise<T>, { intervalMs = 5 } = {}): Promise<T> =>
  vi.waitFor(check, { timeout: EVENTUALLY_TIMEOUT_MS, interval: intervalMs })
