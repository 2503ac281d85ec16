import { expect, test } from 'vitest'
import { createWriteBatcher, type PendingWrite } from './write-batcher.ts'

function setUp(): { sent: string[]; response: (name: string) => PendingWrite } {
  const sent: string[] = []
  return { sent, response: (name) => ({ write: () => void sent.push(name) }) }
}

test('responses of one turn are written together, in order, with one callback', () => {
  const { sent, response } = setUp()
  const turns: Array<() => void> = []
  const batcher = createWriteBatcher((flush) => turns.push(flush))
  for (const name of ['a', 'b', 'c']) batcher.add(response(name))
  expect(sent).toEqual([])
  expect(turns.length).toBe(1)
  turns[0]?.()
  expect(sent).toEqual(['a', 'b', 'c'])
  batcher.add(response('d'))
  expect(turns.length).toBe(2)
})

test('a full batch does not wait for the end of the turn', () => {
  const { sent, response } = setUp()
  const turns: Array<() => void> = []
  const batcher = createWriteBatcher((flush) => turns.push(flush))
  const names = Array.from({ length: 35 }, (_, index) => `${index}`)
  for (const name of names) batcher.add(response(name))
  expect(sent).toEqual(names.slice(0, 32))
  for (const turn of turns) turn()
  expect(sent).toEqual(names)
})

test('a response added during a flush waits for the next turn', () => {
  const { sent, response } = setUp()
  const turns: Array<() => void> = []
  const batcher = createWriteBatcher((flush) => turns.push(flush))
  batcher.add({
    write() {
      sent.push('first')
      batcher.add(response('second'))
    },
  })
  turns[0]?.()
  expect(sent).toEqual(['first'])
  turns[1]?.()
  expect(sent).toEqual(['first', 'second'])
})

test('a flush writes the pending responses, and the following turn writes none of them again', () => {
  const { sent, response } = setUp()
  const turns: Array<() => void> = []
  const batcher = createWriteBatcher((flush) => turns.push(flush))
  batcher.add(response('a'))
  batcher.flush()
  turns[0]?.()
  expect(sent).toEqual(['a'])
})

test('with atOnce, after a turn with one response, the first of the next is written at once', () => {
  const { sent, response } = setUp()
  const turns: Array<() => void> = []
  const batcher = createWriteBatcher((flush) => turns.push(flush), true)
  const turn = (...names: string[]) => {
    for (const name of names) batcher.add(response(name))
    const atOnce = sent.splice(0)
    turns.shift()?.()
    return { atOnce, atEnd: sent.splice(0) }
  }
  expect(turn('a')).toEqual({ atOnce: [], atEnd: ['a'] })
  expect(turn('b')).toEqual({ atOnce: ['b'], atEnd: [] })
  expect(turn('c', 'd', 'e')).toEqual({ atOnce: ['c'], atEnd: ['d', 'e'] })
  expect(turn('f', 'g')).toEqual({ atOnce: [], atEnd: ['f', 'g'] })
  const many = Array.from({ length: 33 }, (_, index) => `${index}`)
  expect(turn(...many)).toEqual({ atOnce: many.slice(0, 32), atEnd: ['32'] })
  expect(turn('h')).toEqual({ atOnce: [], atEnd: ['h'] })
  expect(turns).toEqual([])
})
