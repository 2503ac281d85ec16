import { describe, expect, test } from 'vitest'
import { createCachedFetch, type Fetched } from './cached-fetch.ts'

interface Value extends Fetched {
  readonly version: number
}

/** A source whose responses are released one by one. */
function createSource() {
  const waiting: (() => void)[] = []
  let version = 0
  let fetches = 0
  return {
    change: () => void version++,
    release: () => waiting.shift()?.(),
    get fetches() {
      return fetches
    },
    /** Reads the version at once, and responds when it is released. */
    fetch: (): Promise<Value> => {
      fetches++
      const value = { version, freshUntil: Date.now() + 60_000 }
      return new Promise((resolve) => waiting.push(() => resolve(value)))
    },
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a value that changes while it is fetched', () => {
  test('is fetched again for lookups after the change', async () => {
    const source = createSource()
    const cached = createCachedFetch<Value>()
    const look = (): Promise<number | undefined> =>
      cached.get({ fetch: source.fetch, waitMs: 60_000, onArrived: () => {} }).then(({ value }) => value?.version)
    const first = look()
    source.change()
    cached.invalidate()
    const second = look()
    // Further changes before the second fetch begins need no third one.
    source.change()
    cached.invalidate()
    const third = look()
    source.release()
    expect(await first).toBe(0)
    await settle()
    source.release()
    expect(await Promise.all([second, third])).toEqual([2, 2])
    expect(source.fetches).toBe(2)
    expect(await look()).toBe(2)
    expect(source.fetches).toBe(2)
  })

  test('is fetched again by the next lookup if nobody asked meanwhile', async () => {
    const source = createSource()
    const cached = createCachedFetch<Value>()
    const look = (): Promise<number | undefined> =>
      cached.get({ fetch: source.fetch, waitMs: 60_000, onArrived: () => {} }).then(({ value }) => value?.version)
    const first = look()
    source.change()
    cached.invalidate()
    source.release()
    expect(await first).toBe(0)
    const second = look()
    await settle()
    source.release()
    expect(await second).toBe(1)
  })
})
