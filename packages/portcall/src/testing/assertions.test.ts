import { describe, expect, test } from 'vitest'
import type { Change, Subscription } from '../client/subscriptions.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import {
  type AssertedResult,
  assertError,
  assertRejects,
  assertRpcError,
  assertStructured,
  assertText,
  collectChanges,
  textOf,
} from './assertions.ts'

const text = (value: string, fields: object = {}): AssertedResult => ({ content: [{ type: 'text', text: value }], ...fields })

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
  expect(() => assertText(text('y'), /x/)).toThrow('The tool returned a different text\nexpected: /x/\nreceived: "y"')
  expect(() => assertText(text('x', { isError: true }), 'x')).toThrow('The tool call failed')
})

test('structured content', () => {
  assertStructured(text('', { structuredContent: { a: 1, b: [{ c: null }] } }), { b: [{ c: null }], a: 1, d: undefined })
  expect(() => assertStructured(text('', { structuredContent: { a: 1 } }), { a: 2 })).toThrow('different structured content')
  expect(() => assertStructured(text('no', { isError: true }), {})).toThrow('The tool call failed')
})

test('errors', () => {
  assertError(text('bad', { isError: true }))
  assertError(text('bad', { isError: true }), /ba/)
  expect(() => assertError(text('fine'))).toThrow('The tool call did not fail')
  expect(() => assertError(text('bad', { isError: true }), 'worse')).toThrow('failed with a different text')
})

describe('rejections', () => {
  test('code and message', async () => {
    const error = new RpcError(-32602, 'Invalid params: x')
    expect(await assertRejects(Promise.reject(error))).toBe(error)
    expect(await assertRpcError(Promise.reject(error), -32602)).toBe(error)
    await assertRejects(Promise.reject(error), { code: -32602, message: /params/ })
    await expect(assertRejects(Promise.reject(error), { code: -1 })).rejects.toThrow('different code')
    await expect(assertRejects(Promise.reject(error), { message: 'x' })).rejects.toThrow('different message')
    await expect(assertRpcError(Promise.reject(Object.assign(new Error('x'), { code: 1 })), 1)).rejects.toThrow(
      'is not a response of the server',
    )
  })

  test('no rejection, or a rejection without an error', async () => {
    await expect(assertRejects(Promise.resolve(3))).rejects.toThrow('did not reject with an error')
    await expect(assertRejects(Promise.reject('text'))).rejects.toThrow('did not reject with an error')
  })
})

describe('changes', () => {
  async function* emit(changes: Change[], isOpen: boolean): AsyncGenerator<Change> {
    yield* changes
    if (isOpen) await new Promise(() => {})
  }
  const subscription = (changes: Change[], isOpen = true): Subscription => {
    const iterator = emit(changes, isOpen)
    return {
      acknowledged: Promise.resolve({}),
      close: () => {},
      [Symbol.asyncIterator]: () => iterator,
      [Symbol.asyncDispose]: async () => {},
    }
  }

  test('the requested number is returned in order, the others later', async () => {
    const changes: Change[] = [{ type: 'tools' }, { type: 'resource', uri: 'a:b' }, { type: 'prompts' }]
    const listening = subscription(changes)
    expect(await collectChanges(listening, 2)).toEqual(changes.slice(0, 2))
    expect(await collectChanges(listening, 1)).toEqual(changes.slice(2))
  })

  test('too few changes fail the assertion', async () => {
    await expect(collectChanges(subscription([{ type: 'tools' }]), 2, 20)).rejects.toThrow('Too few changes arrived within 20 ms')
    await expect(collectChanges(subscription([{ type: 'tools' }], false), 2)).rejects.toThrow('The subscription has ended')
  })
})
