import { expect, test } from 'vitest'
import { ConnectionLost, RpcError } from './errors.ts'

test('an RpcError is exactly its code, message and data, as a body and as a response', () => {
  expect(new RpcError(-1, 'm').body()).toStrictEqual({ code: -1, message: 'm' })
  expect(new RpcError(-1, 'm', null).body()).toStrictEqual({ code: -1, message: 'm', data: null })
  expect(new RpcError(-1, 'm').response(0)).toStrictEqual({ jsonrpc: '2.0', id: 0, error: { code: -1, message: 'm' } })
  expect(new RpcError(-1, 'm').response(undefined)).toStrictEqual({ jsonrpc: '2.0', error: { code: -1, message: 'm' } })
})

test('errors are told apart by name and code', () => {
  expect(new RpcError(-1, 'm').name).toBe('RpcError')
  expect(new ConnectionLost('gone')).toMatchObject({ name: 'ConnectionLost', code: 'CONNECTION_LOST', message: 'gone' })
})
