import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { busContract } from '../testing/bus-contract.ts'
import { logContract } from '../testing/log-contract.ts'
import { storeContract } from '../testing/store-contract.ts'
import { UnknownPosition } from './log.ts'
import { memory } from './memory.ts'
import { createMemoryBus } from './memory-bus.ts'
import { createMemoryLog } from './memory-log.ts'
import { createMemoryStore } from './memory-store.ts'

function clock(): { now: () => number; advance: (ms: number) => void } {
  let time = 1_000_000
  const advance = (ms: number): void => {
    time += ms
  }
  return { now: () => time, advance }
}

describe('the contracts', () => {
  storeContract({
    test,
    create() {
      const { now, advance } = clock()
      return { subject: memory({ now }).store, advance }
    },
  })
  logContract({
    test,
    create({ maxEntries }) {
      const { now, advance } = clock()
      return { subject: memory({ now, log: { maxEntries } }).log, advance }
    },
  })
  busContract({ test, create: () => ({ subject: memory().bus }) })
})

describe('store bounds', () => {
  test('the entries written longest ago make room', async () => {
    const store = createMemoryStore({ maxEntries: 3 })
    for (const key of ['a', 'b', 'c']) await store.set(key, 'x')
    await store.set('a', 'y')
    await store.set('d', 'x')
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)))).toEqual(['y', undefined, 'x', 'x'])
  })

  test('bytes are bounded, an entry that can never fit is refused', async () => {
    const store = createMemoryStore({ maxBytes: 100 })
    await store.set('a', 'x'.repeat(29))
    await store.set('b', 'x'.repeat(19))
    expect(await store.get('a')).toBe('x'.repeat(29))
    await store.set('c', 'x')
    expect(await store.get('a')).toBeUndefined()
    await expect(store.set('d', 'x'.repeat(50))).rejects.toThrow(RangeError)
    expect(await store.get('b')).toBe('x'.repeat(19))
  })

  test('entries expire by the age limit too', async () => {
    const { now, advance } = clock()
    const store = createMemoryStore({ maxAgeMs: 1000, now })
    await store.set('a', 'x', { ttlMs: 60_000 })
    advance(1000)
    expect(await store.get('a')).toBeUndefined()
  })

  test('what has expired goes without being asked for', async () => {
    const { now, advance } = clock()
    const store = createMemoryStore({ maxEntries: 100, now })
    await store.set('old', 'x')
    for (let at = 0; at < 99; at++) await store.set(`short ${at}`, 'x', { ttlMs: 10 })
    advance(60_000)
    await store.set('new', 'x')
    expect(await store.get('old')).toBe('x')
  })
})

describe('log bounds', () => {
  test('entries age', async () => {
    const { now, advance } = clock()
    const log = createMemoryLog({ maxAgeMs: 1000, now })
    const first = await log.append('key', 'a')
    advance(600)
    const second = await log.append('key', 'b')
    advance(600)
    expect((await log.read('key')).map(({ data }) => data)).toEqual(['b'])
    expect((await log.read('key', first)).map(({ data }) => data)).toEqual(['b'])
    advance(600)
    const third = await log.append('key', 'c')
    await expect(log.read('key', first)).rejects.toThrow(UnknownPosition)
    expect((await log.read('key', second)).map(({ position }) => position)).toEqual([third])
  })

  test('bytes of one log and of all logs are bounded', async () => {
    const log = createMemoryLog({ maxBytes: 1000, maxTotalBytes: 2500 })
    for (const key of ['a', 'b', 'c']) for (let at = 0; at < 10; at++) await log.append(key, 'x'.repeat(100))
    expect(await Promise.all(['a', 'b', 'c'].map(async (key) => (await log.read(key)).length))).toEqual([0, 3, 3])
    await log.append('b', 'x'.repeat(5000))
    expect(await log.read('b')).toEqual([])
  })

  test('logs are bounded: the one written to longest ago goes', async () => {
    const { now, advance } = clock()
    const log = createMemoryLog({ maxLogs: 2, maxAgeMs: 1000, now })
    for (const key of ['a', 'b', 'a', 'c']) await log.append(key, key)
    expect(await Promise.all(['a', 'b', 'c'].map(async (key) => (await log.read(key)).length))).toEqual([2, 0, 1])
    advance(1001)
    await log.append('d', 'd')
    expect(await Promise.all(['a', 'c', 'd'].map(async (key) => (await log.read(key)).length))).toEqual([0, 0, 1])
  })

  test('any appends, reads and deletes agree with a plain list', async () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: fc.constant('append'), key: fc.constantFrom('a', 'b') }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), key: fc.constantFrom('a', 'b') }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 80 }), async (steps, maxEntries) => {
        const log = createMemoryLog({ maxEntries })
        const model = new Map<string, string[]>([
          ['a', []],
          ['b', []],
        ])
        for (const { do: what, key } of steps) {
          if (what === 'append') model.get(key)?.push(await log.append(key, 'x'))
          else await log.delete(key).then(() => model.set(key, []))
        }
        for (const [key, positions] of model) {
          expect((await log.read(key)).map(({ position }) => position)).toEqual(positions.slice(-maxEntries))
          const known = positions.slice(-maxEntries - 1)
          for (const [at, position] of known.entries())
            expect((await log.read(key, position)).map((entry) => entry.position)).toEqual(known.slice(at + 1))
          for (const position of positions.slice(0, -maxEntries - 1))
            await expect(log.read(key, position)).rejects.toThrow(UnknownPosition)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('bus in memory', () => {
  test('delivers before publish returns, and tells what subscribers throw', async () => {
    const errors: unknown[] = []
    const bus = createMemoryBus({ onError: (error) => errors.push(error) })
    const seen: string[] = []
    await bus.subscribe('topic', (message) => void seen.push(message))
    await bus.subscribe('topic', () => {
      throw new Error('bad')
    })
    void bus.publish('topic', 'one')
    expect(seen).toEqual(['one'])
    expect(errors).toEqual([new Error('bad')])
  })

  test('nested publishing keeps one order for all', async () => {
    const bus = createMemoryBus()
    const seen: string[] = []
    await bus.subscribe('topic', (message) => {
      seen.push(`first ${message}`)
      if (message === '1') void bus.publish('topic', '2')
    })
    await bus.subscribe('topic', (message) => void seen.push(`second ${message}`))
    await bus.publish('topic', '1')
    expect(seen).toEqual(['first 1', 'second 1', 'first 2', 'second 2'])
  })

  test('subscriptions are bounded; ended ones make room', async () => {
    const bus = createMemoryBus({ maxSubscriptions: 1 })
    const end = await bus.subscribe('a', () => {})
    await expect(bus.subscribe('b', () => {})).rejects.toThrow(RangeError)
    end()
    await bus.subscribe('b', () => {})
  })
})
