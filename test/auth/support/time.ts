import { onTestFinished, vi } from 'vitest'

/** Advances the clock of client, server and provider, which all run in this process, until the test ends. */
export function advanceClock(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}
