import { describe, expect, test } from 'vitest'
import { cluster, type TestNode } from '../../../../test-kit/cluster.ts'
import { eventually } from '../../../../test-kit/eventually.ts'
import { call, openSession } from '../../../../test-kit/legacy.ts'
import { memory } from '../../../stores/memory.ts'
import { failing, type StoreFault } from '../../../testing/failing.ts'

/** A session from its handshake to its end, over two nodes; gives the statuses that were not as they should be. */
async function live([a, b]: [TestNode, TestNode]): Promise<number[]> {
  const odd: number[] = []
  const client = await openSession(a.connect)
  const send = async (node: TestNode, bytes: string): Promise<string> => {
    const raw = node.connect().send(bytes)
    const head = await raw.head()
    if (head.status > 204) odd.push(head.status)
    const text = head.headers['content-type'] === 'text/event-stream' ? await raw.until('0\r\n\r\n') : ''
    await raw.end()
    return text
  }
  const text = await send(a, client.post(call('progress', {}, 1)))
  const [id] = /(?<=^id: ).*/m.exec(text) ?? []
  if (id) await send(b, client.get({ 'Last-Event-ID': id }))
  await send(b, client.post(call('add', { a: 1, b: 1 }, 2)))
  await send(b, client.post({ jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level: 'error' } }))
  await send(b, client.remove())
  return odd
}

/** One life in which the n-th operation fails, and one in which none does. Tells how many there were in the first. */
async function liveWithFault(at: number, how: StoreFault): Promise<number> {
  const shared = failing(memory(), { at, how })
  const nodes = (await cluster(2, { shared, nodeLeaseMs: 600, storeTimeoutMs: 100 })) as [TestNode, TestNode]
  const odd = await live(nodes)
  expect(odd.filter((status) => ![400, 404, 503].includes(status))).toEqual([])
  const { length } = shared.operations
  shared.set()
  await eventually(async () => expect(await live(nodes)).toEqual([]))
  return length
}

const HOW: StoreFault[] = ['reject', 'lose', 'hang']
const AT_ONCE = 8

describe.each(HOW)('whichever operation fails: %s', (how) => {
  test('nothing waits for ever, callers get a 503 at the most, and all works again', async () => {
    let most = Infinity
    let at = 0
    for (; at < most; at += AT_ONCE) {
      const lives = Array.from({ length: AT_ONCE }, (_, more) => liveWithFault(at + more + 1, how))
      most = Math.max(...(await Promise.all(lives)))
    }
    expect(at).toBeGreaterThan(20)
  }, 120_000)
})
