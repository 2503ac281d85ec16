import { afterEach, expect, test } from 'vitest'
import { startCluster, type TestNode } from '../../../../../test-kit/cluster.ts'
import { eventually } from '../../../../../test-kit/eventually.ts'
import type { RawConnection } from '../../../../../test-kit/raw-connection.ts'
import { call, LEGACY_VERSION, openSession, type RawSession } from '../../../../../test-kit/raw-session.ts'
import type { Exchange } from '../../../../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../../../../jsonrpc/message.ts'
import { createServer } from '../../../../server/server.ts'
import type { Server } from '../../../../server/types.ts'
import { memoryStores } from '../../../../stores/memory/memory.ts'
import type { Stores } from '../../../../stores/stores.ts'

const URI = 'note://a'

/** A point at which operations wait until it is opened. */
function createGate(): { readonly reached: Promise<void>; readonly opened: Promise<void>; reach(): Promise<void>; open(): void } {
  let reach!: () => void
  let open!: () => void
  const reached = new Promise<void>((resolve) => void (reach = resolve))
  const opened = new Promise<void>((resolve) => void (open = resolve))
  return {
    reached,
    opened,
    open,
    reach() {
      reach()
      return opened
    },
  }
}

type Gate = ReturnType<typeof createGate>

interface Subscribing {
  readonly nodes: readonly TestNode[]
  readonly servers: readonly Server[]
  /** The node and the result of each subscription to the resource at a core: whether it has ended. */
  readonly subscriptions: { readonly node: number; hasEnded: boolean }[]
  readonly client: RawSession
  /** Returns the log level that the last call at a node had. */
  levelAt(node: number): unknown
}

interface Gates {
  /** Delays the first write that makes a node the one that reports changes. */
  readonly claim?: Gate
  /** Delays subscriptions at the core of the second node. */
  readonly listen?: Gate
}

async function start(count: number, { claim, listen }: Gates): Promise<Subscribing> {
  const servers: Server[] = []
  const subscriptions: Subscribing['subscriptions'] = []
  const levels: unknown[] = []
  const exchange = (node: number, stores: Stores): Exchange => {
    const server = createServer({ name: 'test', version: '1' }, { stores })
    server.resource(URI, { name: 'a' }, () => 'text')
    servers.push(server)
    return async (request, context) => {
      levels[node] = requestMetaOf(request.params)['io.modelcontextprotocol/logLevel']
      if (request.method !== 'subscriptions/listen') return server.exchange(request, context)
      if (node === 1) await listen?.reach()
      const { notifications } = request.params ?? {}
      const subscription = { node, hasEnded: false }
      if (isObject(notifications) && notifications.resourceSubscriptions) subscriptions.push(subscription)
      const response = await server.exchange(request, context)
      subscription.hasEnded = true
      return response
    }
  }
  const shared = memoryStores()
  const { store } = shared
  let waiting = claim
  const held: Stores = {
    ...shared,
    close: () => shared.close(),
    store: {
      ...store,
      async compareAndSet(key, change) {
        const isClaim = change.value?.includes('"notifier"')
        const gate = isClaim ? waiting : undefined
        if (gate) waiting = undefined
        await gate?.reach()
        return store.compareAndSet(key, change)
      },
    },
  }
  const nodes = await startCluster(count, { shared: held, exchange })
  afterEach(() => Promise.all(servers.map((server) => server.close())))
  const client = await openSession((nodes[0] as TestNode).connect)
  return { nodes, servers, subscriptions, client, levelAt: (node) => levels[node] }
}

const requestMetaOf = (params: JsonObject | undefined): JsonObject => (isObject(params?._meta) ? params._meta : {})

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: method, method, params })
const subscribe = (client: RawSession): string => client.post(request('resources/subscribe', { uri: URI }))

/** Waits for a report of the resource. Lists may be reported too, because a server that starts registers its members. */
async function whenReported(raw: RawConnection): Promise<void> {
  for (;;) {
    const { json } = await raw.event()
    if (json?.method === 'notifications/resources/updated') return expect(json.params.uri).toBe(URI)
  }
}

test('reports a resource that was subscribed to while its node became the one that reports changes', async () => {
  const claim = createGate()
  const { nodes, servers, subscriptions, client } = await start(1, { claim })
  const [node] = nodes as [TestNode]
  const raw = node.connect().send(client.get())
  await claim.reached
  const subscribed = node.connect().send(subscribe(client)).response()
  // The node does not report changes yet, so it only checks that the resource exists.
  await eventually(() => expect(subscriptions).toEqual([{ node: 0, hasEnded: true }]))
  claim.open()
  expect((await subscribed).json.result).toEqual({})
  await raw.head()
  servers[0]?.resourceUpdated(URI)
  await whenReported(raw)
})

test('begins a stream when changes are reported on it', async () => {
  for (const version of ['2025-03-26', LEGACY_VERSION]) {
    const claim = createGate()
    const { nodes, servers } = await start(2, { claim })
    const [a, b] = nodes as [TestNode, TestNode]
    const client = await openSession(a.connect, version)
    const raw = a.connect().send(client.get())
    await claim.reached
    expect((await b.connect().send(subscribe(client)).response()).json.result).toEqual({})
    await openSession(a.connect)
    expect(raw.text).toBe('')
    claim.open()
    expect((await raw.head()).status).toBe(200)
    servers[1]?.resourceUpdated(URI)
    await whenReported(raw)
  }
})

test('reports changes until another node does', async () => {
  const listen = createGate()
  const { nodes, servers, client, levelAt } = await start(3, { listen })
  const [a, b, c] = nodes as [TestNode, TestNode, TestNode]
  const first = a.connect().send(client.get())
  await first.head()
  expect((await a.connect().send(subscribe(client)).response()).json.result).toEqual({})
  const second = b.connect().send(client.get())
  await listen.reached
  // The first node learns that the second will report changes.
  c.connect().send(client.post(request('logging/setLevel', { level: 'error' })))
  await eventually(async () => {
    await a
      .connect()
      .send(client.post(call('none')))
      .response()
    expect(levelAt(0)).toBe('error')
  })
  servers[1]?.resourceUpdated(URI)
  await whenReported(first)
  listen.open()
  await second.head()
  servers[0]?.resourceUpdated(URI)
  await whenReported(second)
})
