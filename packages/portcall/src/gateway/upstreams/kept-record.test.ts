import { expect, test } from 'vitest'
import { EMPTY, findKept, formatKept, parseKept, withList } from './kept-record.ts'

const keep = (record: typeof EMPTY, capabilities: string, items: readonly unknown[], list = JSON.stringify(items)) =>
  withList(record, { capabilities, kind: 'tool', list, items })

test('a record is the same after it was written and read, and equal lists are kept once', () => {
  const record = ['a', 'b'].reduce((before, set) => keep(before, set, [1]), EMPTY)
  const read = parseKept(formatKept(record))
  expect(read).toEqual(record)
  expect(Object.keys(read.lists)).toHaveLength(1)
  expect(findKept(read, 'tool', 'b')).toMatchObject({ items: [1] })
  expect(findKept(read, 'prompt', 'b')).toBeUndefined()
  expect(findKept(read, 'tool', 'c')).toBeUndefined()
})

test('a list that was replaced is deleted', () => {
  const record = keep(keep(EMPTY, 'a', [1]), 'a', [2])
  expect(Object.values(record.lists)).toEqual([[2]])
})

test('the sets that were used least recently are deleted', () => {
  let record = EMPTY
  for (let set = 0; set < 20; set++) record = keep(keep(record, `set ${set}`, [set]), 'first', [])
  expect(record.sets.length).toBeLessThanOrEqual(8)
  expect(Object.keys(record.lists).length).toBeLessThanOrEqual(8)
  expect(findKept(record, 'tool', 'first')).toBeDefined()
  expect(findKept(record, 'tool', 'set 19')).toBeDefined()
  expect(findKept(record, 'tool', 'set 0')).toBeUndefined()
})

test('a record that is too long loses sets until it is not', () => {
  const long = 'x'.repeat(900_000)
  const record = ['a', 'b', 'c'].reduce((before, set) => keep(before, set, [long + set], set), EMPTY)
  const text = formatKept(record)
  expect(text.length).toBeLessThan(2_000_000)
  expect(findKept(parseKept(text), 'tool', 'c')).toBeDefined()
  expect(findKept(parseKept(text), 'tool', 'a')).toBeUndefined()
  expect(parseKept(formatKept(keep(EMPTY, 'a', [long, long, long])))).toEqual(EMPTY)
})
