import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '../unavailable.ts'
import { useChildren, useFolder } from './sqlite.test-kit.ts'
import { sqlite } from './sqlite.ts'

const folder = useFolder()
const start = useChildren(folder)
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('all that was acknowledged is there after kill -9, and the next process goes on', async () => {
  const file = folder.newFile()
  const acknowledged: string[] = []
  for (let round = 1; round <= 5; round++) {
    const child = start('write', file)
    const before = acknowledged.length
    for (let line = await child.next(); line !== undefined; line = await child.next()) {
      acknowledged.push(line)
      if (acknowledged.length === before + round * 37) child.kill()
    }
    const { store, log, close } = sqlite(file)
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

test('several processes count by swap and lose nothing', async () => {
  const file = folder.newFile()
  const children = Array.from({ length: 3 }, () => start('count', file, '60'))
  await Promise.all(children.map((child) => child.rest()))
  const { store, close } = sqlite(file)
  expect(await store.get('count')).toBe('180')
  await close()
})

test('several processes append to one log and publish to one topic: each in its order, no position twice', async () => {
  const file = folder.newFile()
  const { log, bus, close } = sqlite(file)
  const heard: string[] = []
  await bus.subscribe('topic', (message) => heard.push(message))
  const names = ['a', 'b', 'c']
  const said = await Promise.all(names.map((name) => start('append', file, '50', name).rest()))
  await until(() => heard.length === 150)
  const entries = await log.read('log')
  for (const [at, name] of names.entries()) {
    const wanted = Array.from({ length: 50 }, (_, number) => `${name} ${number}`)
    expect(heard.filter((message) => message.startsWith(name))).toEqual(wanted)
    const own = entries.filter(({ data }) => data.startsWith(name))
    expect(own.map(({ data }) => data)).toEqual(wanted)
    expect(own.map(({ position }) => position)).toEqual(said[at])
  }
  expect(new Set(entries.map(({ position }) => position)).size).toBe(150)
  await close()
})

test('messages of another process come within the time between two looks', async () => {
  const file = folder.newFile()
  const [one, two] = [sqlite(file, { bus: { pollMs: 20 } }), sqlite(file)]
  const late: number[] = []
  await one.bus.subscribe('topic', (sentAt) => late.push(performance.now() - Number(sentAt)))
  for (let at = 1; at <= 10; at++) {
    await two.bus.publish('topic', String(performance.now()))
    await until(() => late.length === at)
  }
  expect(late.sort((a, b) => a - b)[5]).toBeLessThan(5000)
  await Promise.all([one.close(), two.close()])
})

test('a file that another process holds is waited for, while others are served', async () => {
  const file = folder.newFile()
  const { store, close } = sqlite(file)
  await store.set('before', 'x')
  const holder = start('hold', file)
  await holder.next()
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
  holder.process.stdin.write('let go\n')
  await writing
  expect(await store.get('key')).toBe('value')
  await close()
})

test('a file that another process does not let go of is unavailable, at once from then on, until it is free', async () => {
  const file = folder.newFile()
  const { store, log, bus, close } = sqlite(file, { patienceMs: 50 })
  await store.set('before', 'x')
  const holder = start('hold', file)
  await holder.next()
  const first = store.set('key', 'value')
  await expect(first).rejects.toThrow(StoreUnavailable)
  await expect(first).rejects.toThrow(`${file} is held by another process`)
  const startedAt = performance.now()
  for (let times = 0; times < 200; times++)
    for (const write of [() => store.set('key', 'value'), () => log.append('log', 'x'), () => bus.publish('topic', 'x')])
      await expect(write()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true })
  expect(performance.now() - startedAt).toBeLessThan(600 * 50)
  expect(await store.get('before')).toBe('x')
  holder.process.stdin.write('let go\n')
  await holder.rest()
  await store.set('key', 'value')
  expect(await store.get('key')).toBe('value')
  await close()
})

test('a file that is held when it is opened is opened later', async () => {
  const file = folder.newFile()
  const holder = start('hold', file, 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  await holder.next()
  const { store, close } = sqlite(file)
  const reading = store.get('key')
  holder.process.stdin.write('let go\n')
  expect(await reading).toBeUndefined()
  await store.set('key', 'value')
  await close()
})

test('of several processes that begin with a new file one makes its tables', async () => {
  for (let round = 0; round < 3; round++) {
    const file = folder.newFile()
    await Promise.all(Array.from({ length: 4 }, () => start('count', file, '5').rest()))
    const { store, close } = sqlite(file)
    expect(await store.get('count')).toBe('20')
    await close()
  }
})
