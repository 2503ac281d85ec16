import { describe, expect, test } from 'vitest'
import type { Change, Subscription } from '../client/subscribe.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import {
  type AssertedResult,
  assertError,
  assertRejects,
  assertRpcError,
  assertStructured,
  assertText,
  collectChanges,
  sameJson,
  textOf,
} from './asserts.ts'

const text = (value: string, more: object = {}): AssertedResult => ({ content: [{ type: 'text', text: value }], ...more })

test('text', () => {
  assertText(text('x'), 'x')
  assertText(text('one two'), /two/g)
  expect(
    textOf({
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: '', mimeType: 'image/png' },
        { type: 'text', text: 'b' },
      ],
    }),
  ).toBe('a\nb')
  expect(() => assertText(text('y'), 'x')).toThrow(
    expect.objectContaining({ name: 'AssertionError', code: 'ERR_ASSERTION', actual: 'y', expected: 'x' }),
  )
  expect(() => assertText(text('y'), /x/)).toThrow('The tool gave another text\nexpected: /x/\nfound:    "y"')
  expect(() => assertText(text('x', { isError: true }), 'x')).toThrow('The tool failed')
})

test('structured content', () => {
  assertStructured(text('', { structuredContent: { a: 1, b: [{ c: null }] } }), { b: [{ c: null }], a: 1, d: undefined })
  expect(() => assertStructured(text('', { structuredContent: { a: 1 } }), { a: 2 })).toThrow('another structured content')
  expect(() => assertStructured(text('no', { isError: true }), {})).toThrow('The tool failed')
  expect(sameJson({ a: 1 }, { toString: 1 })).toBe(false)
  expect([sameJson([1], [1, 2]), sameJson([], {}), sameJson(null, {}), sameJson([{}], [{}])]).toEqual([false, false, false, true])
})

test('errors', () => {
  assertError(text('bad', { isError: true }))
  assertError(text('bad', { isError: true }), /ba/)
  expect(() => assertError(text('fine'))).toThrow('The tool did not fail')
  expect(() => assertError(text('bad', { isError: true }), 'worse')).toThrow('failed with another text')
})

describe('rejections', () => {
  test('code and message', async () => {
    const error = new RpcError(-32602, 'Invalid params: x')
    expect(await assertRejects(Promise.reject(error))).toBe(error)
    expect(await assertRpcError(Promise.reject(error), -32602)).toBe(error)
    await assertRejects(Promise.reject(error), { code: -32602, message: /params/ })
    await expect(assertRejects(Promise.reject(error), { code: -1 })).rejects.toThrow('another code')
    await expect(assertRejects(Promise.reject(error), { message: 'x' })).rejects.toThrow('another message')
    await expect(assertRpcError(Promise.reject(Object.assign(new Error('x'), { code: 1 })), 1)).rejects.toThrow(
      'did not come from the server',
    )
  })

  test('what does not reject, or not with an error', async () => {
    await expect(assertRejects(Promise.resolve(3))).rejects.toThrow('did not reject with an error')
    await expect(assertRejects(Promise.reject('text'))).rejects.toThrow('did not reject with an error')
  })
})

describe('changes', () => {
  async function* give(changes: Change[], open: boolean): AsyncGenerator<Change> {
    yield* changes
    if (open) await new Promise(() => {})
  }
  const subscription = (changes: Change[], open = true): Subscription => {
    const iterator = give(changes, open)
    return {
      honoured: Promise.resolve({}),
      close: () => {},
      [Symbol.asyncIterator]: () => iterator,
      [Symbol.asyncDispose]: async () => {},
    }
  }

  test('so many, in order, and more later', async () => {
    const changes: Change[] = [{ type: 'tools' }, { type: 'resource', uri: 'a:b' }, { type: 'prompts' }]
    const listening = subscription(changes)
    expect(await collectChanges(listening, 2)).toEqual(changes.slice(0, 2))
    expect(await collectChanges(listening, 1)).toEqual(changes.slice(2))
  })

  test('too few', async () => {
    await expect(collectChanges(subscription([{ type: 'tools' }]), 2, 20)).rejects.toThrow('too few changes within 20 ms')
    await expect(collectChanges(subscription([{ type: 'tools' }], false), 2)).rejects.toThrow('The subscription has ended')
  })
})
