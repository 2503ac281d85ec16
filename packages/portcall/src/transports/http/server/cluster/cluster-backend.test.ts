import { describe, expect, test } from 'vitest'
import { startCluster, type TestNode } from '../../../../../test-kit/cluster.ts'
import { clusterSessionTests } from '../../../../../test-kit/cluster-backend.ts'
import { call, openSession, type RawSession } from '../../../../../test-kit/raw-session.ts'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import { memoryStores } from '../../../../stores/memory/memory.ts'
import type { Stores } from '../../../../stores/stores.ts'

clusterSessionTests(memoryStores)

describe('with a slow bus', () => {
  clusterSessionTests(() => slowBus(memoryStores()), { nodeLeaseTtlMs: 1500, storeTimeoutMs: 1000 })
})

test('streams of one caller do not evict those of another from stores in memory', async () => {
  const stores = memoryStores()
  const shared = { ...stores, log: createMemoryLog({ maxLogs: 12 }) }
  const [node] = await startCluster(1, { shared, authenticate: ({ header }) => ({ principal: header('authorization') ?? '' }) })
  const { connect } = node as TestNode
  const streamOf = async (client: RawSession, id: number): Promise<string> => {
    const { body } = await connect()
      .send(client.post(call('progress', {}, id)))
      .response()
    return /^id: (.*)$/m.exec(body)?.[1] ?? ''
  }
  const open = (authorization: string): Promise<RawSession> => openSession(connect, '2025-11-25', { authorization })
  const resume = async (client: RawSession, id: string): Promise<number> =>
    (
      await connect()
        .send(client.get({ 'Last-Event-ID': id }))
        .head()
    ).status
  const ada = await open('ada')
  const first = await streamOf(ada, 1)
  await streamOf(ada, 2)
  const eves = await Promise.all(Array.from({ length: 20 }, () => open('eve')))
  const ids: string[] = []
  for (const eve of eves) ids.push(await streamOf(eve, 1))
  expect(await resume(ada, first)).toBe(200)
  expect(await resume(eves[19] as RawSession, ids[19] ?? '')).toBe(200)
  expect(await resume(eves[0] as RawSession, ids[0] ?? '')).not.toBe(200)
})

const DELAY_MS = 150

/** Delays messages without changing their order. */
function slowBus(stores: Stores): Stores {
  const delay = (deliver: () => void): void => void setTimeout(deliver, DELAY_MS)
  const { bus } = stores
  return {
    ...stores,
    bus: { ...bus, subscribe: (topic, onMessage) => bus.subscribe(topic, (message) => delay(() => onMessage(message))) },
  }
}
