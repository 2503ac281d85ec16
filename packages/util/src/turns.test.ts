import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const OPTIONS = { limit: 4, maxOwned: 2, maxQueued: Infinity, queueTimeoutMs: 3_600_000 }

test('an owner with any number of tasks never takes the places of another', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 2, max: 20 }), (tasks, limit) => {
      const turns = createTurns({ ...OPTIONS, limit, maxOwned: Math.ceil(limit / 2) })
      const begun = Array.from({ length: tasks }, () => turns.begin({}, 'eve') === true).filter(Boolean)
      expect(begun).toHaveLength(Math.min(tasks, Math.ceil(limit / 2)))
      for (let at = 0; at < Math.floor(limit / 2); at++) expect(turns.begin({}, 'ada')).toBe(true)
    }),
  )
})

test('owners that wait take turns, and each of their tasks in order', async () => {
  const turns = createTurns({ ...OPTIONS, limit: 1, maxOwned: 1 })
  const order: string[] = []
  expect(turns.begin({}, 'eve')).toBe(true)
  const tasks = ['eve 1', 'eve 2', 'eve 3', 'ada 1', 'bob 1', 'ada 2'].map(async (name) => {
    const [owner] = name.split(' ')
    expect(await turns.begin({}, owner)).toBe(true)
    order.push(name)
    turns.end(owner)
  })
  expect(turns.waiting).toBe(6)
  turns.end('eve')
  await Promise.all(tasks)
  expect(order).toEqual(['ada 1', 'bob 1', 'eve 1', 'ada 2', 'eve 2', 'eve 3'])
  expect([turns.isIdle, turns.waiting]).toEqual([true, 0])
})

test('an unknown owner may take all places, and one whose share is used up waits although there are places', async () => {
  const turns = createTurns(OPTIONS)
  for (let at = 0; at < 4; at++) expect(turns.begin({})).toBe(true)
  for (let at = 0; at < 4; at++) turns.end()
  expect([turns.begin({}, 'eve'), turns.begin({}, 'eve')]).toEqual([true, true])
  const third = turns.begin({}, 'eve')
  expect(turns.waiting).toBe(1)
  turns.end('eve')
  expect(await third).toBe(true)
})

test('a task that is aborted leaves the queue, and too many are refused', async () => {
  const turns = createTurns({ ...OPTIONS, limit: 1, maxQueued: 1 })
  expect(turns.begin({}, 'ada')).toBe(true)
  const controller = new AbortController()
  const waiting = turns.begin(controller, 'ada')
  expect(await turns.begin({}, 'eve')).toBe(false)
  controller.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  turns.end('ada')
  expect(turns.begin({}, 'eve')).toBe(true)
})

test('without a timeout, a task waits until it is its turn', async () => {
  const turns = createTurns({ limit: 1, maxQueued: 1, queueTimeoutMs: Infinity })
  expect(turns.begin({})).toBe(true)
  expect(turns.isFull).toBe(true)
  const waiting = turns.begin({})
  await new Promise((resolve) => void setTimeout(resolve, 20))
  expect(turns.waiting).toBe(1)
  turns.end()
  expect(await waiting).toBe(true)
})
