import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classify, failure, isObject, isRequestId, isSuccess, notification, type RequestId, success } from './message.ts'

const kindOf = (value: unknown): string => {
  const found = classify(value)
  return found.kind === 'invalid' ? `${found.error.code}${found.silent ? ' silent' : ''}` : found.kind
}

const id: fc.Arbitrary<RequestId> = fc.oneof(fc.string(), fc.maxSafeInteger())
const object = fc.dictionary(fc.string(), fc.jsonValue())
const member = fc.oneof(fc.constantFrom('2.0', '1.0', 1, '1', null, 'ping', -32600), fc.jsonValue(), object)

describe('classify', () => {
  test('H03, H10, H11, H12, S02: gives one verdict over any JSON, and never throws', () => {
    const key = fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error', 'Method', 'method\0', '__proto__')
    const near = fc.dictionary(key, member).map((value) => ({ jsonrpc: '2.0', ...value }))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), near, fc.dictionary(key, member)), (raw) => {
        const value = JSON.parse(JSON.stringify(raw)) as unknown
        const found = classify(structuredClone(value))
        const known = new Map(Object.entries(isObject(value) ? value : {}))
        if (found.kind === 'invalid') {
          expect([-32600, -32602]).toContain(found.error.code)
          if (found.id !== undefined)
            expect([found.id, typeof known.get('method') === 'string' || !(known.has('result') || known.has('error'))]).toEqual([
              known.get('id'),
              true,
            ])
          return
        }
        expect(known.get('jsonrpc')).toBe('2.0')
        if (found.kind === 'response') expect(known.has('result') !== known.has('error')).toBe(true)
        else expect([typeof known.get('method'), known.has('id')]).toEqual(['string', found.kind === 'request'])
      }),
      { numRuns: 2000 },
    )
  })

  test('reads back what the makers make, through JSON', () => {
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

  test('S03: params of the wrong kind are -32602 and keep the id; null counts as absent', () => {
    for (const params of ['x', 1, true, []])
      expect(classify({ jsonrpc: '2.0', id: 0, method: 'm', params })).toMatchObject({ id: 0, error: { code: -32602 } })
    expect(classify({ jsonrpc: '2.0', id: 0, method: 'm', params: null })).toEqual({
      kind: 'request',
      message: { jsonrpc: '2.0', id: 0, method: 'm' },
    })
  })

  test('notifications and responses are never to be answered, whatever is wrong with them', () => {
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
      const found = classify({ jsonrpc: '2.0', ...response })
      expect(found).toMatchObject({ kind: 'invalid', silent: true })
      expect(found).not.toHaveProperty('id')
    }
  })

  test('an error may come without an id, or with null', () => {
    const error = { code: -32700, message: 'Parse error' }
    for (const rest of [{}, { id: null }])
      expect(classify({ jsonrpc: '2.0', error, ...rest })).toEqual({ kind: 'response', message: { jsonrpc: '2.0', error } })
  })

  test('H09: keys that only look alike do not count', () => {
    expect(kindOf({ jsonrpc: '2.0', id: 1, Method: 'tools/call' })).toBe('-32600')
    expect(kindOf({ jsonrpc: '2.0', id: 1, 'method\0': 'tools/call' })).toBe('-32600')
    expect(kindOf(JSON.parse('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call"}}'))).toBe('-32600')
  })

  test('tells successes from failures', () => {
    expect([isSuccess(success(1, {})), isSuccess(failure(1, { code: 1, message: '' }))]).toEqual([true, false])
  })
})
