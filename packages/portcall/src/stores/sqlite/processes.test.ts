import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { useChildren, useFolder } from '../../../test-kit/sqlite/sqlite.ts'
import { StoreUnavailableError } from '../errors.ts'
import { sqliteStores } from './sqlite.ts'

const folder = useFolder()
const startChild = useChildren(folder)
const waitUntil = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('acknowledged writes survive kill -9, and the next process continues', async () => {
  const file = folder.newFile()
  const acknowledged: string[] = []
  for (let round = 1; round <= 5; round++) {
    const child = startChild('write', file)
    const before = acknowledged.length
    for (let line = await child.next(); line !== undefined; line = await child.next()) {
      acknowledged.push(line)
      if (acknowledged.length === before + round * 37) child.kill()
    }
    const { store, log, close } = sqliteStores(file)
    const entries = new Map((await log.read('log')).map(({ position, data }) => [position, data]))
    for (const line of acknowledged) {
      const [at, position = ''] = line.split(' ')
      expect(entries.get(position)).toBe(`value ${at}`)
      expect(await store.get(`key ${at}`)).toBe(`value ${at}`)
    }
    await close()
  }
  expect(acknowledged.length).toBeGreaterThan(500)
})

test('concurrent compareAndSet calls of several processes lose no update', async () => {
  const file = folder.newFile()
  const children = Array.from({ length: 3 }, () => startChild('count', file, '60'))
  await Promise.all(children.map((child) => child.remainingLines()))
  const { store, close } = sqliteStores(file)
  expect(await store.get('count')).toBe('180')
  await close()
})

test('several processes append to one log and publish to one topic: each in order, no position twice', async () => {
  const file = folder.newFile()
  const { log, bus, close } = sqliteStores(file)
  const received: string[] = []
  await bus.subscribe('topic', (message) => received.push(message))
  const names = ['a', 'b', 'c']
  const appended = await Promise.all(names.map((name) => startChild('append', file, '50', name).remainingLines()))
  await waitUntil(() => received.length === 150)
  const entries = await log.read('log')
  for (const [at, name] of names.entries()) {
    const expected = Array.from({ length: 50 }, (_, number) => `${name} ${number}`)
    expect(received.filter((message) => message.startsWith(name))).toEqual(expected)
    const own = entries.filter(({ data }) => data.startsWith(name))
    expect(own.map(({ data }) => data)).toEqual(expected)
    expect(own.map(({ position }) => position)).toEqual(appended[at])
  }
  expect(new Set(entries.map(({ position }) => position)).size).toBe(150)
  await close()
})

test('messages of another process arrive within the poll interval', async () => {
  const file = folder.newFile()
  const [one, two] = [sqliteStores(file, { bus: { pollIntervalMs: 20 } }), sqliteStores(file)]
  const delays: number[] = []
  await one.bus.subscribe('topic', (sentAt) => delays.push(performance.now() - Number(sentAt)))
  for (let at = 1; at <= 10; at++) {
    await two.bus.publish('topic', String(performance.now()))
    await waitUntil(() => delays.length === at)
  }
  expect(delays.sort((a, b) => a - b)[5]).toBeLessThan(5000)
  await Promise.all([one.close(), two.close()])
})

test('writes wait while another process locks the file, and reads do not', async () => {
  const file = folder.newFile()
  const { store, close } = sqliteStores(file)
  await store.set('before', 'x')
  const locker = startChild('lock', file)
  await locker.next()
  let isWritten = false
  const writing = store.set('key', 'value').then(() => {
    isWritten = true
  })
  for (let turn = 0; turn < 10; turn++) {
    const startedAt = performance.now()
    expect(await store.get('before')).toBe('x')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(performance.now() - startedAt).toBeLessThan(5000)
  }
  expect(isWritten).toBe(false)
  locker.process.stdin.write('unlock\n')
  await writing
  expect(await store.get('key')).toBe('value')
  await close()
})

test('after the busy timeout, writes fail immediately until the file is unlocked', async () => {
  const file = folder.newFile()
  const { store, log, bus, close } = sqliteStores(file, { busyTimeoutMs: 50 })
  await store.set('before', 'x')
  const locker = startChild('lock', file)
  await locker.next()
  const first = store.set('key', 'value')
  await expect(first).rejects.toThrow(StoreUnavailableError)
  await expect(first).rejects.toThrow(`${file} is locked by another process`)
  const startedAt = performance.now()
  for (let times = 0; times < 200; times++)
    for (const write of [() => store.set('key', 'value'), () => log.append('log', 'x'), () => bus.publish('topic', 'x')])
      await expect(write()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
  expect(performance.now() - startedAt).toBeLessThan(600 * 50)
  expect(await store.get('before')).toBe('x')
  locker.process.stdin.write('unlock\n')
  await locker.remainingLines()
  await store.set('key', 'value')
  expect(await store.get('key')).toBe('value')
  await close()
})

test('a file that is locked when the stores are created is opened later', async () => {
  const file = folder.newFile()
  const locker = startChild('lock', file, 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  await locker.next()
  const { store, close } = sqliteStores(file)
  const reading = store.get('key')
  locker.process.stdin.write('unlock\n')
  expect(await reading).toBeUndefined()
  await store.set('key', 'value')
  await close()
})

test('several processes can create the same file at once', async () => {
  for (let round = 0; round < 3; round++) {
    const file = folder.newFile()
    await Promise.all(Array.from({ length: 4 }, () => startChild('count', file, '5').remainingLines()))
    const { store, close } = sqliteStores(file)
    expect(await store.get('count')).toBe('20')
    await close()
  }
})
