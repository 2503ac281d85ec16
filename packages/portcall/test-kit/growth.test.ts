import { expect, it } from 'vitest'
import { growthOf } from './growth.ts'

const letters = (size: number) => 'a'.repeat(size)

/** Reads a text `times` times, one character after the other. */
function read(text: string, times: number): number {
  let sum = 0
  for (let n = 0; n < times; n++) for (let at = 0; at < text.length; at++) sum = (sum + text.charCodeAt(at)) | 0
  return sum
}

it('is small for linear time', () => {
  expect(growthOf((text) => read(text, 100), letters)).toBeLessThan(3)
})

it('is large for quadratic time, beside a linear part too', () => {
  expect(growthOf((text) => read(text, 16 + text.length / 512), letters)).toBeGreaterThan(3)
})

it('is 1 for work that takes next to no time', () => {
  expect(growthOf((text) => text.length, letters)).toBe(1)
})
