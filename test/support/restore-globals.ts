/** Runs before each test file. Restores the global state that tests change, since several files share a process. */
import { afterAll, afterEach, vi } from 'vitest'
import { clearEraCache } from '../../packages/portcall/src/connect/era-cache.ts'

/** Restores the real timers, even after a failed test. */
const restore = (): void => void vi.useRealTimers()

afterEach(restore)
afterAll(restore)
// A new server may get the port of a server whose era is cached.
afterEach(clearEraCache)
