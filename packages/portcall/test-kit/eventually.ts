import { vi } from 'vitest'

/** How long what has to happen may take: a machine may be slow, or stand still for seconds. */
export const PATIENCE_MS = 45_000

/** Looks again and again until nothing is thrown, and returns what was seen. */
export const eventually = <T>(look: () => T | Promise<T>, interval = 5): Promise<T> =>
  vi.waitFor(look, { timeout: PATIENCE_MS, interval })
