import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { busContract } from '../../testing/contracts/bus-contract.ts'
import { logContract } from '../../testing/contracts/log-contract.ts'
import { storeContract } from '../../testing/contracts/store-contract.ts'
import { StoreFullError } from '../errors.ts'
import { UnknownPositionError } from '../log.ts'
import { ownedSecret, ownerKey } from '../owned-keys.ts'
import { createMemoryBus } from './bus.ts'
import { createMemoryLog } from './log.ts'
import { memoryStores } from './memory.ts'
import { createMemoryStore } from './store.ts'

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
      return { subject: memoryStores({ now }).store, advance }
    },
  })
  logContract({
    test,
    create({ maxEntries }) {
      const { now, advance } = clock()
      return { subject: memoryStores({ now, log: { maxEntries } }).log, advance }
    },
  })
  busContract({ test, create: () => ({ subject: memoryStores().bus }) })
})

describe('limits of the store', () => {
  test('the least recently written entries are evicted', async () => {
    const store = createMemoryStore({ maxEntries: 3 })
    for (const key of ['a', 'b', 'c']) await store.set(key, 'x')
    await store.set('a', 'y')
    await store.set('d', 'x')
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)))).toEqual(['y', undefined, 'x', 'x'])
  })

  test('bytes are limited; an entry above the limit is rejected', async () => {
    const store = createMemoryStore({ maxBytes: 100 })
    await store.set('a', 'x'.repeat(29))
    await store.set('b', 'x'.repeat(19))
    expect(await store.get('a')).toBe('x'.repeat(29))
    await store.set('c', 'x')
    expect(await store.get('a')).toBeUndefined()
    await expect(store.set('d', 'x'.repeat(50))).rejects.toThrow(RangeError)
    expect(await store.get('b')).toBe('x'.repeat(19))
  })

  test('entries expire after maxTtlMs at the latest', async () => {
    const { now, advance } = clock()
    const store = createMemoryStore({ maxTtlMs: 1000, now })
    await store.set('a', 'x', { ttlMs: 60_000 })
    advance(1000)
    expect(await store.get('a')).toBeUndefined()
  })

  test('expired entries are removed without being read', async () => {
    const { now, advance } = clock()
    const store = createMemoryStore({ maxEntries: 100, now })
    await store.set('old', 'x')
    for (let at = 0; at < 99; at++) await store.set(`short ${at}`, 'x', { ttlMs: 10 })
    advance(60_000)
    await store.set('new', 'x')
    expect(await store.get('old')).toBe('x')
  })
})

describe('limits of the log', () => {
  test('entries expire', async () => {
    const { now, advance } = clock()
    const log = createMemoryLog({ entryTtlMs: 1000, now })
    const first = await log.append('key', 'a')
    advance(600)
    const second = await log.append('key', 'b')
    advance(600)
    expect((await log.read('key')).map(({ data }) => data)).toEqual(['b'])
    expect((await log.read('key', first)).map(({ data }) => data)).toEqual(['b'])
    advance(600)
    const third = await log.append('key', 'c')
    await expect(log.read('key', first)).rejects.toThrow(UnknownPositionError)
    expect((await log.read('key', second)).map(({ position }) => position)).toEqual([third])
  })

  test('the bytes of one log and of all logs are limited', async () => {
    const log = createMemoryLog({ maxBytes: 1000, maxTotalBytes: 2500 })
    for (const key of ['a', 'b', 'c']) for (let at = 0; at < 10; at++) await log.append(key, 'x'.repeat(100))
    expect(await Promise.all(['a', 'b', 'c'].map(async (key) => (await log.read(key)).length))).toEqual([0, 3, 3])
    await log.append('b', 'x'.repeat(5000))
    expect(await log.read('b')).toEqual([])
  })

  test('the number of logs is limited: the least recently written one is deleted', async () => {
    const { now, advance } = clock()
    const log = createMemoryLog({ maxLogs: 2, entryTtlMs: 1000, now })
    for (const key of ['a', 'b', 'a', 'c']) await log.append(key, key)
    expect(await Promise.all(['a', 'b', 'c'].map(async (key) => (await log.read(key)).length))).toEqual([2, 0, 1])
    advance(1001)
    await log.append('d', 'd')
    expect(await Promise.all(['a', 'c', 'd'].map(async (key) => (await log.read(key)).length))).toEqual([0, 0, 1])
  })

  test('any sequence of appends, reads and deletes agrees with an array', async () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ action: fc.constant('append'), key: fc.constantFrom('a', 'b') }) },
      { weight: 1, arbitrary: fc.record({ action: fc.constant('delete'), key: fc.constantFrom('a', 'b') }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 80 }), async (steps, maxEntries) => {
        const log = createMemoryLog({ maxEntries })
        const model = new Map<string, string[]>([
          ['a', []],
          ['b', []],
        ])
        for (const { action, key } of steps) {
          if (action === 'append') model.get(key)?.push(await log.append(key, 'x'))
          else await log.delete(key).then(() => model.set(key, []))
        }
        for (const [key, positions] of model) {
          expect((await log.read(key)).map(({ position }) => position)).toEqual(positions.slice(-maxEntries))
          const known = positions.slice(-maxEntries - 1)
          for (const [at, position] of known.entries())
            expect((await log.read(key, position)).map((entry) => entry.position)).toEqual(known.slice(at + 1))
          for (const position of positions.slice(0, -maxEntries - 1))
            await expect(log.read(key, position)).rejects.toThrow(UnknownPositionError)
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('the bus', () => {
  test('delivers before publish returns, and reports errors of subscribers', async () => {
    const errors: unknown[] = []
    const bus = createMemoryBus({ onError: (error) => errors.push(error) })
    const received: string[] = []
    await bus.subscribe('topic', (message) => void received.push(message))
    await bus.subscribe('topic', () => {
      throw new Error('bad')
    })
    void bus.publish('topic', 'one')
    expect(received).toEqual(['one'])
    expect(errors).toEqual([new Error('bad')])
  })

  test('nested publishing keeps one order for all subscribers', async () => {
    const bus = createMemoryBus()
    const received: string[] = []
    await bus.subscribe('topic', (message) => {
      received.push(`first ${message}`)
      if (message === '1') void bus.publish('topic', '2')
    })
    await bus.subscribe('topic', (message) => void received.push(`second ${message}`))
    await bus.publish('topic', '1')
    expect(received).toEqual(['first 1', 'second 1', 'first 2', 'second 2'])
  })

  test('the number of subscriptions is limited; removed ones do not count', async () => {
    const bus = createMemoryBus({ maxSubscriptions: 1 })
    const unsubscribe = await bus.subscribe('a', () => {})
    await expect(bus.subscribe('b', () => {})).rejects.toThrow(RangeError)
    unsubscribe()
    await bus.subscribe('b', () => {})
  })
})

describe('groups of the store', () => {
  const WAYS = [
    { by: 'bytes', options: { maxBytes: 20_000 }, size: 400 },
    { by: 'number', options: { maxEntries: 40 }, size: 1 },
  ]

  test.each(WAYS)('whoever stores too much evicts only its own entries, by $by', async ({ options, size }) => {
    const store = createMemoryStore(options)
    for (let at = 0; at < 5; at++) await store.set(`kept/ada/${at}`, 'x'.repeat(size))
    for (let at = 0; at < 500; at++) await store.set(`kept/eve/${at}`, 'x'.repeat(size))
    expect(await store.count('kept/ada/')).toBe(5)
    expect(await store.get('kept/eve/499')).toBe('x'.repeat(size))
    expect(await store.get('kept/eve/0')).toBeUndefined()
  })

  test.each(WAYS)(
    'a store that refuses keeps what it has, and takes more when entries have expired, by $by',
    async ({ options, size }) => {
      const { now, advance } = clock()
      const store = createMemoryStore({ ...options, whenFull: 'refuse', now })
      let stored = 0
      const refused = async (): Promise<unknown> => {
        for (; stored < 1000; stored++)
          try {
            await store.set(`${stored}`, 'x'.repeat(size), { ttlMs: 1000 })
          } catch (error) {
            return error
          }
        return undefined
      }
      expect(await refused()).toBeInstanceOf(StoreFullError)
      expect(await store.count('')).toBe(stored)
      if (options.maxBytes) await expect(store.set('0', 'x'.repeat(size + 1000))).rejects.toThrow(StoreFullError)
      expect(await store.get('0')).toHaveLength(size)
      advance(1000)
      await store.set('later', 'y')
      expect(await store.get('later')).toBe('y')
    },
  )

  test('no sequence of writes of one group removes entries of a smaller one', async () => {
    const write = fc.record({ key: fc.nat(60), length: fc.nat(300) })
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 200 }), async (writes) => {
        const store = createMemoryStore({ maxEntries: 50, maxBytes: 10_000 })
        for (let at = 0; at < 10; at++) await store.set(`ada/${at}`, 'x'.repeat(100))
        for (const { key, length } of writes) await store.set(`eve/${key}`, 'x'.repeat(length))
        expect(await store.count('ada/')).toBe(10)
      }),
    )
  })
})

describe('groups of the log', () => {
  test.each([
    { by: 'bytes', options: { maxTotalBytes: 20_000 } },
    { by: 'number', options: { maxLogs: 20 } },
  ])('whoever appends too much deletes only its own logs, by $by', async ({ options }) => {
    const log = createMemoryLog(options)
    for (let at = 0; at < 5; at++) await log.append(`http/ada/${at}`, 'x'.repeat(100))
    for (let at = 0; at < 200; at++) await log.append(`http/eve/${at}`, 'x'.repeat(400))
    for (let at = 0; at < 5; at++) expect(await log.read(`http/ada/${at}`)).toHaveLength(1)
    expect(await log.read('http/eve/199')).toHaveLength(1)
    expect(await log.read('http/eve/0')).toEqual([])
  })

  test('keys that name the same owner are one group, whatever follows', async () => {
    const [ada, eve] = [await ownerKey('ada'), await ownerKey('eve')]
    const log = createMemoryLog({ maxTotalBytes: 20_000 })
    await log.append(`http/log/${ownedSecret(ada, 16)}/1/0`, 'x'.repeat(5000))
    const kept = `http/log/${ownedSecret(ada, 16)}/2/0`
    await log.append(kept, 'x'.repeat(2000))
    for (let at = 0; at < 100; at++) await log.append(`http/log/${ownedSecret(eve, 16)}/${at}/0`, 'x'.repeat(400))
    expect(await log.read(kept)).toHaveLength(1)
  })

  test('no sequence of appends and deletions of one group deletes a smaller one, or exceeds the limits', async () => {
    const step = fc.record({ key: fc.nat(20), length: fc.nat(300), isDeleted: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
        const log = createMemoryLog({ maxLogs: 10, maxBytes: 2000, maxTotalBytes: 6000 })
        for (const name of ['a', 'b']) await log.append(`ada/${name}`, 'x'.repeat(100))
        for (const { key, length, isDeleted } of steps)
          await (isDeleted ? log.delete(`eve/${key}`) : log.append(`eve/${key}`, 'x'.repeat(length)))
        for (const name of ['a', 'b']) expect(await log.read(`ada/${name}`)).toHaveLength(1)
        const kept = await Promise.all(Array.from({ length: 21 }, (_, key) => log.read(`eve/${key}`)))
        expect(kept.filter(({ length }) => length > 0).length).toBeLessThanOrEqual(8)
        expect(kept.flat().reduce((sum, { data }) => sum + 2 * data.length, 0)).toBeLessThanOrEqual(6000)
      }),
    )
  })
})
