import { expect, test } from 'vitest'
import { cluster, type TestNode } from '../../../../test-kit/cluster.ts'
import { call, openSession } from '../../../../test-kit/legacy.ts'
import { memory } from '../../../stores/memory.ts'
import type { Stores } from '../../../stores/stores.ts'

/** Stores of which one operation, counted over all, rejects. */
function failingAt(stores: Stores, failing: { n: number; count: number }): Stores {
  const fail = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, name) => {
        const operation = Reflect.get(target, name) as (...args: unknown[]) => unknown
        return (...args: unknown[]) =>
          ++failing.count === failing.n ? Promise.reject(new Error(`operation ${failing.n}`)) : operation.apply(target, args)
      },
    })
  return { ...stores, store: fail(stores.store), log: fail(stores.log), bus: fail(stores.bus) }
}

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

test('whichever operation fails: nothing hangs, callers get a 503 at the most, and all works again', async () => {
  for (let n = 1; ; n++) {
    const failing = { n, count: 0 }
    const nodes = (await cluster(2, { shared: failingAt(memory(), failing) })) as [TestNode, TestNode]
    const odd = await live(nodes)
    expect(odd.filter((status) => ![400, 404, 503].includes(status))).toEqual([])
    const wasReached = failing.count >= n
    failing.n = 0
    expect(await live(nodes)).toEqual([])
    if (!wasReached) return expect(n).toBeGreaterThan(20)
  }
}, 120_000)
