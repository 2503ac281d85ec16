import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { markImmutable } from '../../../util/src/memo.ts'
import {
  classify,
  failure,
  isObject,
  isRequestId,
  isSuccess,
  notification,
  type RequestId,
  stringifyMessage,
  success,
} from './message.ts'

const kindOf = (value: unknown): string => {
  const classified = classify(value)
  return classified.kind === 'invalid' ? `${classified.error.code}${classified.silent ? ' silent' : ''}` : classified.kind
}

const id: fc.Arbitrary<RequestId> = fc.oneof(fc.string(), fc.maxSafeInteger())
const object = fc.dictionary(fc.string(), fc.jsonValue())
const member = fc.oneof(fc.constantFrom('2.0', '1.0', 1, '1', null, 'ping', -32600), fc.jsonValue(), object)

describe('classify', () => {
  test('H03, H10, H11, H12, S02: classifies any JSON value, and never throws', () => {
    const key = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', 'Method', 'method\0', '__proto__')
    const near = fc.dictionary(key, member).map((value) => ({ jsonrpc: '2.0', ...value }))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near, fc.dictionary(key, member)), (raw) => {
        const value = JSON.parse(JSON.stringify(raw)) as unknown
        const classified = classify(structuredClone(value))
        const known = new Map(Object.entries(isObject(value) ? value : {}))
        if (classified.kind === 'invalid') {
          expect([-32600, -32602]).toContain(classified.error.code)
          if (classified.id !== undefined)
            expect([
              classified.id,
              typeof known.get('method') === 'string' || !(known.has('result') || known.has('error')),
            ]).toEqual([known.get('id'), true])
          return
        }
        expect(known.get('jsonrpc')).toBe('2.0')
        if (classified.kind === 'response') {
          const members = ['result', 'error'].filter((name) => known.has(name) && known.get(name) !== null)
          expect(Object.keys(classified.message).filter((name) => name === 'result' || name === 'error')).toEqual(members)
          expect(members).toHaveLength(1)
        } else expect([typeof known.get('method'), known.has('id')]).toEqual(['string', classified.kind === 'request'])
      }),
      { numRuns: 2000 },
    )
  })

  test('classifies messages that were created here and sent as JSON', () => {
    fc.assert(
      fc.property(id, fc.string(), fc.option(object, { nil: undefined }), (id, method, params) => {
        const call = { jsonrpc: '2.0' as const, id, method, ...(params && { params }) }
        const error = { code: -32000, message: method, ...(params && { data: params }) }
        const all = {
          request: [call],
          notification: [notification(method, params)],
          response: [success(id, params ?? {}), failure(id, error), failure(undefined, error)],
        }
        for (const [kind, messages] of Object.entries(all))
          for (const message of messages) {
            const text = JSON.stringify(message)
            expect(classify(JSON.parse(text))).toEqual({ kind, message: JSON.parse(text) as unknown })
          }
      }),
    )
  })

  test('S04, H10, H11: an id is a string or a safe integer', () => {
    for (const id of [0, -1, '', '1', 'x'.repeat(1000), Number.MAX_SAFE_INTEGER])
      expect(kindOf({ jsonrpc: '2.0', id, method: 'm' })).toBe('request')
    for (const text of ['null', 'true', '1.5', '{}', '[]', '1e400', '9007199254740993'])
      expect(kindOf(JSON.parse(`{"jsonrpc":"2.0","id":${text},"method":"m"}`))).toBe('-32600')
    expect(isRequestId(Number.NaN)).toBe(false)
  })

  test('S03: params of the wrong type are refused with -32602 and the id; null counts as absent', () => {
    for (const params of ['x', 1, true, []])
      expect(classify({ jsonrpc: '2.0', id: 0, method: 'm', params })).toMatchObject({ id: 0, error: { code: -32602 } })
    expect(classify({ jsonrpc: '2.0', id: 0, method: 'm', params: null })).toEqual({
      kind: 'request',
      message: { jsonrpc: '2.0', id: 0, method: 'm' },
    })
  })

  test('invalid notifications and responses are silent', () => {
    expect(kindOf({ jsonrpc: '2.0', method: 'notifications/x', params: 42 })).toBe('-32602 silent')
    const broken = [
      { id: 1, result: 42 },
      { jsonrpc: '1.0', id: 1, result: {} },
      { id: {}, result: {} },
      { result: {} },
      { id: null, result: {} },
      { id: 1, error: {} },
      { id: 1, error: { code: 1, message: 'x' }, result: {} },
    ]
    for (const response of broken) {
      const classified = classify({ jsonrpc: '2.0', ...response })
      expect(classified).toMatchObject({ kind: 'invalid', silent: true })
      expect(classified).not.toHaveProperty('id')
    }
  })

  test('an error response may have no id, or a null id', () => {
    const error = { code: -32700, message: 'Parse error' }
    for (const rest of [{}, { id: null }])
      expect(classify({ jsonrpc: '2.0', error, ...rest })).toEqual({ kind: 'response', message: { jsonrpc: '2.0', error } })
  })

  test('a result or error that is null next to the other one counts as absent', () => {
    const error = { code: -32603, message: 'no such page' }
    const response = { jsonrpc: '2.0', id: 1 }
    expect(classify({ ...response, result: null, error })).toEqual({ kind: 'response', message: { ...response, error } })
    expect(classify({ ...response, error: null, result: {} })).toEqual({ kind: 'response', message: { ...response, result: {} } })
    for (const both of [{ result: null, error: null }, { result: null }, { error: null }, { result: 1, error: null }])
      expect(kindOf({ ...response, ...both })).toBe('-32600 silent')
  })

  test.each([
    ['a text', 'no such page', { code: -32603, message: 'no such page' }],
    ['no code', { message: 'a', data: 1 }, { code: -32603, message: 'a', data: 1 }],
    ['null as its code', { code: null, message: 'a' }, { code: -32603, message: 'a' }],
    ['a number as text', { code: '-32001', message: 'a' }, { code: -32001, message: 'a' }],
    ['a name as its code', { code: 'E_GONE', message: 'a' }, { code: -32603, message: 'a' }],
    ['a fraction as its code', { code: 1.5, message: 'a' }, { code: -32603, message: 'a' }],
  ])('an error with %s still says why', (_, error, expected) => {
    const message = { jsonrpc: '2.0', id: 1, error: expected }
    for (const rest of [{}, { result: null }])
      expect(classify({ jsonrpc: '2.0', id: 1, ...rest, error })).toEqual({ kind: 'response', message })
    expect(kindOf({ jsonrpc: '2.0', id: 1, result: {}, error })).toBe('-32600 silent')
  })

  test('H09: keys that only look similar do not count', () => {
    expect(kindOf({ jsonrpc: '2.0', id: 1, Method: 'tools/call' })).toBe('-32600')
    expect(kindOf({ jsonrpc: '2.0', id: 1, 'method\0': 'tools/call' })).toBe('-32600')
    expect(kindOf(JSON.parse('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call"}}'))).toBe('-32600')
  })

  test('isSuccess distinguishes successes from failures', () => {
    expect([isSuccess(success(1, {})), isSuccess(failure(1, { code: 1, message: '' }))]).toEqual([true, false])
  })
})

describe('stringifyMessage', () => {
  test('writes an immutable result like any other', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), id, id, (result, one, other) => {
        const immutable = markImmutable({ ...result })
        for (const id of [one, other])
          expect(JSON.parse(stringifyMessage(success(id, immutable)))).toEqual(JSON.parse(JSON.stringify(success(id, result))))
      }),
    )
  })

  test('writes complete notifications, whichever method came before', async () => {
    vi.resetModules()
    const fresh = await import('./message.ts')
    for (const method of ['', 'a', 'a', '"', '', 'a']) {
      const message = { jsonrpc: '2.0', method, params: { at: method } } as const
      expect(JSON.parse(fresh.stringifyMessage(message))).toEqual(message)
    }
  })
})
