import { expect, test } from 'vitest'
import { PortcallError } from '../../../util/src/errors.ts'
import { ConnectionLostError, RpcError } from './errors.ts'

test('the body and the response of an RpcError consist of its code, message and data', () => {
  expect(new RpcError(-1, 'm').body()).toStrictEqual({ code: -1, message: 'm' })
  expect(new RpcError(-1, 'm', null).body()).toStrictEqual({ code: -1, message: 'm', data: null })
  expect(new RpcError(-1, 'm').response(0)).toStrictEqual({ jsonrpc: '2.0', id: 0, error: { code: -1, message: 'm' } })
  expect(new RpcError(-1, 'm').response(undefined)).toStrictEqual({ jsonrpc: '2.0', error: { code: -1, message: 'm' } })
})

test('errors have a name and a code', () => {
  expect(new RpcError(-1, 'm').name).toBe('RpcError')
  const error = new ConnectionLostError('lost')
  expect(error).toMatchObject({ name: 'ConnectionLostError', code: 'CONNECTION_LOST', message: 'lost', retryable: true })
  expect(error).toBeInstanceOf(PortcallError)
})
