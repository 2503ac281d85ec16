/** Before each test file: what a test does to its process is undone, since other files have the same one. */
import { afterAll, afterEach, vi } from 'vitest'
import { forgetEras } from '../../packages/portcall/src/connect/eras.ts'

/** Real clocks, whatever a test faked and however it ended. */
const restore = (): void => void vi.useRealTimers()

afterEach(restore)
afterAll(restore)
// Another server may get the port of one that was known.
afterEach(forgetEras)
