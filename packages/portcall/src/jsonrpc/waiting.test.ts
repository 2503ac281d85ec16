import { expect, test } from 'vitest'
import { pause } from './waiting.ts'

test('a pause ends by itself, or with the reason of a signal, and leaves no listener', async () => {
  const first = new AbortController()
  const second = new AbortController()
  await pause(1, undefined, first.signal, second.signal)
  const paused = pause(10_000, first.signal, second.signal)
  second.abort('enough')
  await expect(paused).rejects.toBe('enough')
  await expect(pause(10_000, second.signal)).rejects.toBe('enough')
})
