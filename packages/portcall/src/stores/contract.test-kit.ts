/*
 * What every backend of the three contracts has to do, as tests that any runner takes: give its `test` and a way to make a
 * backend.
 */
import type { Bus } from './bus.ts'
import { type Log, UnknownPosition } from './log.ts'
import type { Store } from './store.ts'

/** One backend under test; made anew for each test, and empty. */
export interface Subject<T> {
  subject: T
  /** Lets time pass for the backend. Default: really waits. */
  advance?: (ms: number) => void | Promise<void>
  close?: () => void | Promise<void>
}

export interface Suite<T, O = undefined> {
  /** `test` of Vitest, node:test, or anything alike. */
  test: (name: string, body: () => Promise<void>) => unknown
  create: (options: O) => Subject<T> | Promise<Subject<T>>
}

/** How a log is to be bounded for these tests. */
export interface LogBounds {
  maxEntries: number
}

type Case<T> = (subject: T, advance: (ms: number) => Promise<void>) => Promise<void>

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

function run<T, O>(suite: Suite<T, O>, options: O, cases: Record<string, Case<T>>): void {
  for (const [name, body] of Object.entries(cases)) {
    suite.test(name, async () => {
      const { subject, advance = wait, close } = await suite.create(options)
      try {
        await body(subject, async (ms) => advance(ms))
      } finally {
        await close?.()
      }
    })
  }
}

function equal(found: unknown, wanted: unknown): void {
  const [left, right] = [JSON.stringify(found) ?? 'undefined', JSON.stringify(wanted) ?? 'undefined']
  if (left !== right) throw new Error(`expected ${right}, found ${left}`)
}

async function eventually(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !condition(); tries++) await wait(10)
  if (!condition()) throw new Error('it did not happen within two seconds')
}

const STRANGE = ['__proto__', 'constructor', ' ', 'a:b', 'ä\u{1f600}', '*', "'; --", 'a\nb']

/** Tests of `Store`. */
export function storeContract(suite: Suite<Store>): void {
  run(suite, undefined, { ...storeValues, ...storeExpiry, ...storeSwap })
}

const storeValues: Record<string, Case<Store>> = {
  'store: an absent key reads as nothing': async (store) => {
    equal(await store.get('absent'), undefined)
    await store.delete('absent')
  },
  'store: what was set is read, replaced and deleted': async (store) => {
    await store.set('key', 'one')
    await store.set('key', 'two')
    equal(await store.get('key'), 'two')
    await store.delete('key')
    equal(await store.get('key'), undefined)
  },
  'store: any string is a key and a value': async (store) => {
    for (const text of STRANGE) equal(await store.get(text), undefined)
    for (const text of STRANGE) await store.set(text, `value of ${text}`)
    for (const text of STRANGE) equal(await store.get(text), `value of ${text}`)
    await store.set('empty', '')
    equal(await store.get('empty'), '')
  },
}

const storeExpiry: Record<string, Case<Store>> = {
  'store: an expired key reads as nothing': async (store, advance) => {
    await store.set('short', 'x', { ttlMs: 100 })
    await store.set('long', 'x', { ttlMs: 60_000 })
    equal(await store.get('short'), 'x')
    await advance(150)
    equal([await store.get('short'), await store.get('long')], [undefined, 'x'])
  },
  'store: setting again sets the expiry anew': async (store, advance) => {
    await store.set('key', 'x', { ttlMs: 100 })
    await store.set('key', 'y')
    await advance(150)
    equal(await store.get('key'), 'y')
  },
  'store: an expired key counts as absent for swap': async (store, advance) => {
    await store.set('key', 'x', { ttlMs: 100 })
    await advance(150)
    equal(await store.swap('key', { expected: 'x', value: 'y' }), false)
    equal(await store.swap('key', { expected: undefined, value: 'z', ttlMs: 100 }), true)
    equal(await store.get('key'), 'z')
    await advance(150)
    equal(await store.get('key'), undefined)
  },
}

const storeSwap: Record<string, Case<Store>> = {
  'store: swap writes only what was expected': async (store) => {
    equal(await store.swap('key', { expected: 'x', value: 'y' }), false)
    equal(await store.swap('key', { expected: undefined, value: 'x' }), true)
    equal(await store.swap('key', { expected: undefined, value: 'y' }), false)
    equal(await store.swap('key', { expected: 'x', value: 'y' }), true)
    equal(await store.get('key'), 'y')
  },
  'store: swap deletes': async (store) => {
    await store.set('key', 'x')
    equal(await store.swap('key', { expected: 'y', value: undefined }), false)
    equal(await store.swap('key', { expected: 'x', value: undefined }), true)
    equal(await store.get('key'), undefined)
    equal(await store.swap('key', { expected: undefined, value: undefined }), true)
  },
  'store: of many swaps with one expectation exactly one wins': async (store) => {
    await store.set('key', 'start')
    const won = await Promise.all(
      Array.from({ length: 20 }, (_, at) => store.swap('key', { expected: 'start', value: `winner ${at}` })),
    )
    equal(won.filter(Boolean).length, 1)
    equal(await store.get('key'), `winner ${won.indexOf(true)}`)
  },
  'store: counting by swap loses nothing': async (store) => {
    const increment = async (): Promise<void> => {
      const before = await store.get('count')
      if (!(await store.swap('count', { expected: before, value: String(Number(before ?? 0) + 1) }))) await increment()
    }
    await Promise.all(Array.from({ length: 10 }, increment))
    equal(await store.get('count'), '10')
  },
}

/** Tests of `Log`; the logs made for them keep `maxEntries` entries each. */
export function logContract(suite: Suite<Log, LogBounds>): void {
  run(suite, { maxEntries: 1000 }, logOrder)
  run(suite, { maxEntries: 5 }, logTrimming)
}

/** Reads, with a mark in place of the entries when the position is unknown. */
async function readData(log: Log, key: string, after?: string): Promise<string[] | 'unknown'> {
  try {
    return (await log.read(key, after)).map(({ data }) => data)
  } catch (error) {
    if (error instanceof UnknownPosition) return 'unknown'
    throw error
  }
}

const logOrder: Record<string, Case<Log>> = {
  'log: an absent log has no entries': async (log) => {
    equal(await readData(log, 'absent'), [])
    await log.delete('absent')
  },
  'log: entries come back in order, after any position': async (log) => {
    const data = Array.from({ length: 30 }, (_, at) => `entry ${at}`)
    const positions = await Promise.all(data.map((entry) => log.append('key', entry)))
    equal(new Set(positions).size, data.length)
    equal(await readData(log, 'key'), data)
    for (const [at, position] of positions.entries()) equal(await readData(log, 'key', position), data.slice(at + 1))
    equal(
      (await log.read('key')).map(({ position }) => position),
      positions,
    )
  },
  'log: positions are short and printable': async (log) => {
    for (const key of STRANGE) equal(/^[!-~]{1,64}$/.test(await log.append(key, 'x')), true)
  },
  'log: any string is a key and an entry': async (log) => {
    for (const text of [...STRANGE, '']) await log.append(`key ${text}`, text)
    for (const text of [...STRANGE, '']) equal(await readData(log, `key ${text}`), [text])
  },
  'log: positions that are not of this log are unknown': async (log) => {
    const [mine, other] = [await log.append('mine', 'a'), await log.append('other', 'b')]
    equal(await readData(log, 'mine', other), 'unknown')
    equal(await readData(log, 'absent', mine), 'unknown')
    for (const bogus of ['', '0', '-', '1-1', `${mine}0`, `${mine} `, ...STRANGE, 'x'.repeat(9000)])
      equal(await readData(log, 'mine', bogus), 'unknown')
  },
  'log: a deleted log is empty, and its positions are unknown in the next one': async (log) => {
    const before = await log.append('key', 'a')
    await log.delete('key')
    equal([await readData(log, 'key'), await readData(log, 'key', before)], [[], 'unknown'])
    const after = await log.append('key', 'b')
    equal([await readData(log, 'key'), await readData(log, 'key', before)], [['b'], 'unknown'])
    equal(await readData(log, 'key', after), [])
  },
}

const logTrimming: Record<string, Case<Log>> = {
  'log: keeps its bound, trims from the front, and never shows a gap': async (log) => {
    const data = Array.from({ length: 40 }, (_, at) => `entry ${at}`)
    const positions: string[] = []
    for (const entry of data) positions.push(await log.append('key', entry))
    equal(await readData(log, 'key'), data.slice(-5))
    for (const [at, position] of positions.entries()) {
      const found = await readData(log, 'key', position)
      if (at >= 35) equal(found, data.slice(at + 1))
      else if (at < 34 || found !== 'unknown') equal(found, at < 34 ? 'unknown' : data.slice(at + 1))
    }
  },
}

/** Tests of `Bus`. */
export function busContract(suite: Suite<Bus>): void {
  run(suite, undefined, { ...busDelivery, ...busSubscribers })
}

const busDelivery: Record<string, Case<Bus>> = {
  'bus: all subscribers of a topic get its messages, in order': async (bus) => {
    const [first, second, other]: string[][] = [[], [], []]
    await bus.subscribe('topic', (message) => void first?.push(message))
    await bus.subscribe('topic', (message) => void second?.push(message))
    await bus.subscribe('other', (message) => void other?.push(message))
    const messages = Array.from({ length: 50 }, (_, at) => `message ${at}`)
    for (const message of messages) void bus.publish('topic', message)
    await bus.publish('other', 'end')
    await eventually(() => first?.length === 50 && second?.length === 50 && other?.length === 1)
    equal([first, second, other], [messages, messages, ['end']])
  },
  'bus: publishing without subscribers is no error, and nothing is kept': async (bus) => {
    const seen: string[] = []
    await bus.publish('topic', 'early')
    await bus.subscribe('topic', (message) => void seen.push(message))
    await bus.publish('topic', 'late')
    await eventually(() => seen.length > 0)
    equal(seen, ['late'])
  },
  'bus: any string is a topic and a message': async (bus) => {
    const seen: string[] = []
    for (const topic of STRANGE) await bus.subscribe(topic, (message) => void seen.push(topic + message))
    for (const topic of STRANGE) await bus.publish(topic, topic)
    await eventually(() => seen.length === STRANGE.length)
    equal(seen.sort(), STRANGE.map((topic) => topic + topic).sort())
  },
}

const busSubscribers: Record<string, Case<Bus>> = {
  'bus: a subscriber that throws hurts nobody': async (bus) => {
    const seen: string[] = []
    await bus.subscribe('topic', () => {
      throw new Error('a bad subscriber')
    })
    await bus.subscribe('topic', (message) => void seen.push(message))
    await bus.publish('topic', 'one')
    await bus.publish('topic', 'two')
    await eventually(() => seen.length === 2)
    equal(seen, ['one', 'two'])
  },
  'bus: a subscription ends, others of the same function stay': async (bus) => {
    const seen: string[] = []
    const onMessage = (message: string): void => void seen.push(message)
    const end = await bus.subscribe('topic', onMessage)
    await bus.subscribe('topic', onMessage)
    end()
    end()
    await bus.publish('topic', 'one')
    await eventually(() => seen.length > 0)
    equal(seen, ['one'])
  },
  'bus: a subscriber may end itself, subscribe and publish': async (bus) => {
    const seen: string[] = []
    const end = await bus.subscribe('topic', (message) => {
      seen.push(message)
      end()
      void bus.publish('topic', 'from inside')
    })
    await bus.subscribe('topic', (message) => void seen.push(`second ${message}`))
    await bus.publish('topic', 'first')
    await eventually(() => seen.length === 3)
    equal(seen, ['first', 'second first', 'second from inside'])
  },
}
