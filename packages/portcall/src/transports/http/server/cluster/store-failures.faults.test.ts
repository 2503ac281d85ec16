import { describe, expect, test } from 'vitest'
import { startCluster, type TestNode } from '../../../../../test-kit/cluster.ts'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { call, openSession } from '../../../../../test-kit/raw-session.ts'
import { memoryStores } from '../../../../stores/memory/memory.ts'
import { faultyStores, type StoreFault } from '../../../../testing/faults/faulty-stores.ts'

/** Runs a session on two nodes, from the handshake to the end. Returns the unexpected statuses. */
async function runSession([a, b]: [TestNode, TestNode]): Promise<number[]> {
  const unexpected: number[] = []
  const client = await openSession(a.connect)
  const send = async (node: TestNode, bytes: string): Promise<string> => {
    const raw = node.connect().send(bytes)
    const head = await raw.head()
    if (head.status > 204) unexpected.push(head.status)
    const text = head.headers['content-type'] === 'text/event-stream' ? await raw.until('0\r\n\r\n') : ''
    await raw.close()
    return text
  }
  const text = await send(a, client.post(call('progress', {}, 1)))
  const [id] = /(?<=^id: ).*/m.exec(text) ?? []
  if (id) await send(b, client.get({ 'Last-Event-ID': id }))
  await send(b, client.post(call('add', { a: 1, b: 1 }, 2)))
  await send(b, client.post({ jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level: 'error' } }))
  await send(b, client.delete())
  return unexpected
}

/** Runs a session in which one store operation fails, then one without failures. Returns the number of operations of the first. */
async function runWithFault(at: number, mode: StoreFault): Promise<number> {
  const shared = faultyStores(memoryStores(), { at, mode })
  const nodes = (await startCluster(2, { shared, nodeLeaseTtlMs: 600, storeTimeoutMs: 100 })) as [TestNode, TestNode]
  const unexpected = await runSession(nodes)
  expect(unexpected.filter((status) => ![400, 404, 503].includes(status))).toEqual([])
  const { length } = shared.operations
  shared.setFaults()
  await eventually(async () => expect(await runSession(nodes)).toEqual([]))
  return length
}

/** Longer than events for a connected client wait for the store. */
const OUTAGE_MS = 3500

const FAULTS: StoreFault[] = ['reject', 'lose', 'hang']
const CONCURRENCY = 8

describe.each(FAULTS)('if any single store operation fails: %s', (how) => {
  test('no request hangs, clients get at most a 503, and later requests succeed', async () => {
    let operations = Infinity
    let at = 0
    for (; at < operations; at += CONCURRENCY) {
      const runs = Array.from({ length: CONCURRENCY }, (_, more) => runWithFault(at + more + 1, how))
      operations = Math.max(...(await Promise.all(runs)))
    }
    expect(at).toBeGreaterThan(20)
  }, 120_000)
})

test('events for a disconnected client wait for the store', async () => {
  const [node] = (await startCluster(1)) as [TestNode]
  const client = await openSession(node.connect)
  const connection = node.connect().send(client.post(call('hold', { notify: true })))
  await connection.head()
  // The first event has no message.
  await connection.event()
  const { id } = await connection.event()
  await connection.close()
  node.stores.state = 'fails'
  node.core.release()
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS))
  node.stores.state = 'works'
  const resumed = node.connect().send(client.get({ 'Last-Event-ID': id ?? '' }))
  expect((await resumed.head()).status).toBe(200)
  expect(await resumed.until('0\r\n\r\n')).toMatch(/"progress":2.*"text":"hold"/s)
})
