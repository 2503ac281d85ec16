import { expect, test } from 'vitest'
import { enterNewest } from './newest.ts'

test('the newest are kept, and what is entered again is new', () => {
  const map = new Map<string | undefined, number>()
  for (const key of ['a', undefined, 'a', 'b']) enterNewest(map, [key, map.size], 2)
  expect([...map]).toEqual([
    ['a', 2],
    ['b', 2],
  ])
})
