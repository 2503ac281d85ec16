import { describe, expect, test } from 'vitest'
import { success } from '../../jsonrpc/message.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { listen, modern } from '../../../test-kit/raw.ts'

const echo: Exchange = async (request) => success(request.id, { resultType: 'complete', method: request.method })

describe('a modern call', () => {
  test('is answered with one JSON text', async () => {
    const { connect } = await listen(echo)
    const raw = connect()
    raw.send(modern({ id: 1, method: 'tools/call', params: { name: 'add' } }))
    const answer = await raw.answer()
    expect(answer).toMatchObject({ status: 200, json: { id: 1, result: { method: 'tools/call' } } })
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  })
})
