import { expect, test } from 'vitest'
import { randomId } from './random.ts'

test('ids are base64url without padding, and differ', () => {
  expect(randomId()).toMatch(/^[\w-]{22}$/)
  expect(randomId(6)).toMatch(/^[\w-]{8}$/)
  expect(new Set(Array.from({ length: 100 }, () => randomId(8))).size).toBe(100)
})
