import { expect, test } from 'vitest'
import { setLru } from './lru.ts'

test('the least recently set entry is evicted, and setting an entry again makes it the most recent one', () => {
  const map = new Map<string | undefined, number>()
  for (const key of ['a', undefined, 'a', 'b']) setLru(map, [key, map.size], 2)
  expect([...map]).toEqual([
    ['a', 2],
    ['b', 2],
  ])
})
