import { onTestFinished, vi } from 'vitest'

/** Puts everybody's clock forward, until the test is over: the client's, the server's and the provider's, which all run in this process. */
export function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}
