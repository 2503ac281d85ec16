import { expect, test } from 'vitest'
import { createOutbox, DIRECT } from './outbox.ts'

function answers(): { sent: string[]; answer: (name: string) => { write(): void } } {
  const sent: string[] = []
  return { sent, answer: (name) => ({ write: () => void sent.push(name) }) }
}

test('answers of one turn leave together, in their order, with one call back', () => {
  const { sent, answer } = answers()
  const turns: Array<() => void> = []
  const outbox = createOutbox((flush) => turns.push(flush))
  for (const name of ['a', 'b', 'c']) outbox.put(answer(name))
  expect(sent).toEqual([])
  expect(turns.length).toBe(1)
  turns[0]?.()
  expect(sent).toEqual(['a', 'b', 'c'])
  outbox.put(answer('d'))
  expect(turns.length).toBe(2)
})

test('many do not wait for the end of the turn', () => {
  const { sent, answer } = answers()
  const turns: Array<() => void> = []
  const outbox = createOutbox((flush) => turns.push(flush))
  const names = Array.from({ length: 35 }, (_, index) => `${index}`)
  for (const name of names) outbox.put(answer(name))
  expect(sent).toEqual(names.slice(0, 32))
  for (const turn of turns) turn()
  expect(sent).toEqual(names)
})

test('what is put while answers leave waits for the next turn', () => {
  const { sent, answer } = answers()
  const turns: Array<() => void> = []
  const outbox = createOutbox((flush) => turns.push(flush))
  outbox.put({
    write() {
      sent.push('first')
      outbox.put(answer('second'))
    },
  })
  turns[0]?.()
  expect(sent).toEqual(['first'])
  turns[1]?.()
  expect(sent).toEqual(['first', 'second'])
})

test('a flush sends what waits, and the turn that follows sends nothing twice', () => {
  const { sent, answer } = answers()
  const turns: Array<() => void> = []
  const outbox = createOutbox((flush) => turns.push(flush))
  outbox.put(answer('a'))
  outbox.flush()
  turns[0]?.()
  expect(sent).toEqual(['a'])
})

test('the direct way sends at once', () => {
  const { sent, answer } = answers()
  DIRECT.put(answer('a'))
  expect(sent).toEqual(['a'])
})
