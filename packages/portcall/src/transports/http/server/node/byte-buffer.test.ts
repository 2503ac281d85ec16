import { expect, test } from 'vitest'
import { createByteBuffer } from './byte-buffer.ts'

test('returns the bytes in order, and is empty afterwards', () => {
  const buffer = createByteBuffer()
  for (let round = 0; round < 3; round++) {
    expect(buffer.take()).toEqual(Buffer.alloc(0))
    const pieces = Array.from({ length: 200 }, (_, at) => Buffer.alloc((at * 7) % 40, at))
    for (const piece of pieces) buffer.push(piece)
    const all = Buffer.concat(pieces)
    expect(buffer.length).toBe(all.length)
    expect(buffer.take()).toEqual(all)
    expect(buffer.length).toBe(0)
  }
})

test('does not change bytes that were taken', () => {
  const buffer = createByteBuffer()
  buffer.push(Buffer.from('ab'))
  buffer.push(Buffer.from('c'))
  const taken = buffer.take()
  buffer.push(Buffer.from('xyz'))
  expect(taken.toString()).toBe('abc')
})
