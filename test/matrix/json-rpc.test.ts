import type { JsonObject, Message } from 'portcall/jsonrpc'
import { expect } from 'vitest'
import type { Driver } from '../support/driver.ts'
import { withEnvelope } from '../support/envelope.ts'
import { isStreamable, type Setup } from '../support/setups.ts'
import { callTool, exchange, GAPS, journalWith, matrix, openPeer, quiet, textOf, until } from './matrix.ts'

const SELF = { revision: '2026-07-28', clientInfo: { name: 'raw', version: '1' }, capabilities: {} }

/** Creates a raw request, with the envelope in the modern era. */
const raw = (peer: Driver, id: unknown, method: string, params?: JsonObject): Message =>
  ({
    jsonrpc: '2.0',
    id,
    method,
    ...(peer.era === 'modern' ? { params: withEnvelope(params, SELF) } : params && { params }),
  }) as Message

const echo = (peer: Driver, id: unknown, text: string): Message =>
  raw(peer, id, 'tools/call', { name: 'echo', arguments: { text } })

matrix('json-rpc', (it) => {
  it('BASE-002 BASE-006 60.1.1 H44 every legal id is returned unchanged', async (peer) => {
    for (const id of [0, -7, '', '0', '7', 'ünï', Number.MAX_SAFE_INTEGER]) {
      const [answer] = await exchange(peer, echo(peer, id, `for ${id}`))
      expect(answer).toMatchObject({ id, result: { content: [{ text: `for ${id}` }] } })
    }
  })

  it(
    'BASE-003 BASE-009 H10 H11 H12 an invalid request is rejected without an id',
    async (peer) => {
      for (const id of [null, true, 1.5, {}, []]) {
        const message = { ...echo(peer, 1, 'x'), id } as unknown as Message
        const [answer] = await exchange(peer, message)
        expect(answer).toMatchObject({ error: { code: -32600 } })
        expect(answer).not.toHaveProperty('id')
      }
      expect(textOf(await callTool(peer, 'echo', { text: 'fine' }))).toBe('fine')
    },
    GAPS.refusedPost,
  )

  it('BASE-013 60.1.3 a notification is never answered', async (peer) => {
    const start = peer.log.length
    for (const method of ['tools/list', 'no/such/thing', 'notifications/progress']) await peer.notify(method, {}).catch(() => {})
    await quiet()
    expect(peer.log.slice(start).filter(({ from, message }) => from === 'server' && 'result' in message)).toEqual([])
  })

  it('70.5 null counts as an absent field, and extra fields are ignored', async (peer) => {
    for (const params of [{ cursor: null }, { extra: { deep: [] } }, { _meta: { 'other/key': 1, progressToken: null } }])
      expect((await peer.request('tools/list', params)).result.tools).toBeInstanceOf(Array)
    expect((await peer.request('tools/call', { name: 'nothing', arguments: null })).error).toBeUndefined()
  })

  it('70.5 a capability may be true instead of {}, and false or null instead of absent', async (_, setup) => {
    const peer = await openPeer(setup, { capabilities: { roots: true, sampling: null, elicitation: false } })
    peer.onInputRequest(() => ({ roots: [] }))
    expect((await callTool(peer, 'asks_roots')).inputRequests).toHaveLength(1)
    expect((await callTool(peer, 'asks_model')).inputRequests).toEqual([])
  })

  it(
    'BASE-014 STDIO-004 HTTP-009 every request of a batch is answered',
    async (peer) => {
      const notification = { jsonrpc: '2.0', method: 'notifications/unheard-of' } as const
      const answers = await exchange(
        peer,
        [echo(peer, 'a', 'one'), notification, echo(peer, 'b', 'two'), raw(peer, 'c', 'no/such/method')],
        { answers: 3 },
      )
      const byId = Object.fromEntries(answers.map((answer) => [answer.id, answer]))
      expect(byId).toMatchObject({
        a: { result: { content: [{ text: 'one' }] } },
        b: { result: { content: [{ text: 'two' }] } },
        c: { error: { code: -32601 } },
      })
    },
    GAPS.batches,
  )

  it(
    'BASE-016 H19 H20 a batch is rejected by revisions without batches',
    async (peer, setup) => {
      const [answer] = await exchange(peer, [echo(peer, 'a', 'one'), echo(peer, 'b', 'two')], { answers: 1 })
      expect(answer).toMatchObject({ error: { code: -32600 } })
      await expectEmptyBatchRejected(peer, setup)
    },
    GAPS.noBatches,
  )

  it('H45 S14 a duplicate id is rejected, and the first request is still answered', async (peer, { transport }) => {
    const slow = peer.send(raw(peer, 'twice', 'tools/call', { name: 'holds' }))
    await journalWith(peer, 'held')
    const quick = await exchange(peer, echo(peer, 'twice', 'quick'))
    const independent = peer.era === 'modern' && isStreamable(transport)
    expect(quick).toMatchObject([independent ? { id: 'twice', result: {} } : { id: 'twice', error: { code: -32600 } }])
    await callTool(peer, 'lets_go')
    await slow
    await until(() =>
      peer.log.some(({ message }) => message.id === 'twice' && JSON.stringify(message.result)?.includes('let go') === true),
    )
  })
})

async function expectEmptyBatchRejected(peer: Driver, { transport }: Setup): Promise<void> {
  if (!isStreamable(transport)) return
  const [answer] = await exchange(peer, [], { answers: 1 })
  expect(answer).toMatchObject({ error: { code: -32600 } })
}
