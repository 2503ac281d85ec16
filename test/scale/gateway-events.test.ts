/** Processes of `portcall gateway` on one store behind a round-robin balancer, to which a server delivers events by webhook. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { events } from 'portcall/events/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type EventShop, serveEventShop } from '../support/event-shop.ts'
import { startRedis } from '../support/services/redis.mjs'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startBalancer } from './support/balancer.ts'

const COMMAND = fileURLToPath(new URL('../../packages/portcall/dist/cli/main.js', import.meta.url))
/** The working directory: the packages of the stores are installed here. */
const HERE = fileURLToPath(new URL('.', import.meta.url))
const NAME = 'shop__order.created'
const redis = await startRedis()
afterAll(() => redis?.stop())

interface GatewayNode {
  readonly url: string
  kill(): void
  /** Pauses the process, until the function that it returns is called. */
  pause(): () => void
  /** Asks the process to stop. Resolves to its exit code. */
  stop(): Promise<number | null>
}

interface Fleet {
  /** The processes that the balancer knows. */
  readonly nodes: GatewayNode[]
  readonly shop: EventShop
  /** Starts another process. */
  start(): Promise<GatewayNode>
}

async function startFleet(store: (dir: string) => string, count: number): Promise<Fleet> {
  const dir = temporaryFolder()
  await mkdir(join(dir, 'home'))
  const shop = await serveEventShop()
  const nodes: GatewayNode[] = []
  const balancer = await startBalancer(nodes)
  const url = new URL('/mcp-events', balancer.url).href
  const file = join(dir, 'gateway.json')
  const gateway = { servers: { shop: { eventWebhook: true } }, eventWebhook: { url }, store: store(dir) }
  await writeFile(file, JSON.stringify({ mcpServers: { shop: shop.entry }, gateway }))
  const children: ChildProcessWithoutNullStreams[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await balancer.close()
  })
  const start = async (): Promise<GatewayNode> => {
    const env = { ...process.env, PORTCALL_HOME: join(dir, 'home') }
    const child = spawn(process.execPath, [COMMAND, 'gateway', '--config', file, '--port', '0'], { cwd: HERE, env })
    children.push(child)
    const own = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stderr.on('data', (chunk) => (text += chunk))
      child.once('exit', () => reject(new Error(text)))
      child.stdout.on('data', (chunk) => {
        const [, listening] = /Listening at (\S+)/.exec(String(chunk)) ?? []
        if (listening !== undefined) resolve(listening)
      })
    })
    const node: GatewayNode = {
      url: own,
      kill() {
        nodes.splice(nodes.indexOf(node), 1)
        child.kill('SIGKILL')
      },
      pause() {
        nodes.splice(nodes.indexOf(node), 1)
        child.kill('SIGSTOP')
        return () => {
          child.kill('SIGCONT')
          nodes.push(node)
        }
      },
      async stop() {
        nodes.splice(nodes.indexOf(node), 1)
        child.kill('SIGTERM')
        const [code] = await once(child, 'exit')
        return code
      },
    }
    nodes.push(node)
    return node
  }
  for (let at = 0; at < count; at++) await start()
  return { nodes, shop, start }
}

/** Receives events at an address that may change. */
async function receiveAt(urlOf: () => string) {
  const received: string[] = []
  const gaps: unknown[] = []
  const fetchThere = ((input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const { pathname } = new URL(input instanceof Request ? input.url : String(input))
    return fetch(new URL(pathname, urlOf()), init)
  }) as typeof fetch
  const client = await connect(urlOf(), { extensions: [events()], fetch: fetchThere })
  onTestFinished(() => client.close())
  const subscription = await client.events.on(NAME, {}, ({ eventId }) => void received.push(eventId), {
    onGap: (cursor) => gaps.push(cursor),
  })
  return { received, gaps, subscription }
}

/** Returns the addresses of the subscriptions that were ended. */
function endedOf({ requests }: EventShop): string[] {
  return requests.filter(({ method }) => method === 'events/unsubscribe').map(({ url }) => url)
}

const STORES = [
  { name: 'SQLite', store: (dir: string) => `sqlite:${join(dir, 'gateway.db')}`, isAvailable: true },
  { name: 'Redis', store: () => `${redis?.url}`, isAvailable: redis !== undefined },
]

describe.each(STORES)('gateway processes on $name', ({ store, isAvailable }) => {
  test.skipIf(!isAvailable)(
    'share deliveries: each event reaches its client once and in order',
    async () => {
      const { nodes, shop } = await startFleet(store, 2)
      const clients = await Promise.all(nodes.map(({ url }) => receiveAt(() => url)))
      expect(shop.requests).toHaveLength(2)
      const ids = Array.from({ length: 50 }, (_, at) => `ord-${at}`)
      for (const id of ids) await shop.emit(id)
      for (const { received } of clients) await eventually(() => expect(received).toEqual(ids))
    },
    120_000,
  )

  test.skipIf(!isAvailable)(
    'a client of a process that is killed goes on at another one, and misses nothing',
    async () => {
      const { nodes, shop } = await startFleet(store, 2)
      const [first, second] = nodes as [GatewayNode, GatewayNode]
      let url = first.url
      const { received, gaps } = await receiveAt(() => url)
      const other = await receiveAt(() => second.url)
      const ids = Array.from({ length: 30 }, (_, at) => `ord-${at}`)
      for (const id of ids.slice(0, 10)) await shop.emit(id)
      for (const one of [received, other.received]) await eventually(() => expect(one).toEqual(ids.slice(0, 10)))
      url = second.url
      first.kill()
      for (const id of ids.slice(10)) await shop.emit(id)
      await eventually(() => expect(other.received).toEqual(ids))
      await eventually(() => expect(received).toEqual(ids))
      expect(gaps).toEqual([])
      // The other process ends the subscription of the one that was killed, and keeps its own.
      await eventually(() => expect(endedOf(shop)).toEqual([shop.requests[0]?.url]))
      await shop.emit('last')
      for (const one of [received, other.received]) await eventually(() => expect(one).toEqual([...ids, 'last']))
      expect(endedOf(shop)).toHaveLength(1)
    },
    120_000,
  )

  test.skipIf(!isAvailable)(
    'a rolling restart loses nothing, and leaves no subscription behind',
    async () => {
      const { nodes, shop, start } = await startFleet(store, 2)
      const [first, second] = nodes as [GatewayNode, GatewayNode]
      let { url } = first
      const { received, gaps } = await receiveAt(() => url)
      const ids = Array.from({ length: 30 }, (_, at) => `ord-${at}`)
      for (const id of ids.slice(0, 10)) await shop.emit(id)
      for (const [at, node] of [first, second].entries()) {
        const next = await start()
        ;({ url } = next)
        const stopped = node.stop()
        for (const id of ids.slice(10 * at + 10, 10 * at + 20)) await shop.emit(id)
        expect(await stopped).toBe(0)
      }
      await eventually(() => expect(received.toSorted()).toEqual(ids.toSorted()))
      expect(gaps).toEqual([])
      const ended = endedOf(shop)
      const made = shop.requests.filter(({ method }) => method === 'events/subscribe').map(({ url }) => url)
      expect(new Set(made.filter((one) => !ended.includes(one))).size).toBe(1)
    },
    120_000,
  )

  test.skipIf(!isAvailable)(
    'a process that was paused for so long that its subscription was ended makes another one',
    async () => {
      const { nodes, shop } = await startFleet(store, 2)
      const [first] = nodes as [GatewayNode, GatewayNode]
      const { received, gaps } = await receiveAt(() => first.url)
      await shop.emit('before')
      await eventually(() => expect(received).toEqual(['before']))
      const resume = first.pause()
      await eventually(() => expect(endedOf(shop)).toHaveLength(1))
      await shop.emit('meanwhile')
      resume()
      await eventually(() => expect(received).toEqual(['before', 'meanwhile']))
      await shop.emit('after')
      await eventually(() => expect(received).toEqual(['before', 'meanwhile', 'after']))
      expect(gaps).toEqual([])
    },
    120_000,
  )

  test.skipIf(!isAvailable)(
    'a gateway that is killed and starts again goes on where its client was',
    async () => {
      const { nodes, shop, start } = await startFleet(store, 1)
      const [first] = nodes as [GatewayNode]
      let { url } = first
      const { received, gaps } = await receiveAt(() => url)
      await shop.emit('before')
      await eventually(() => expect(received).toEqual(['before']))
      first.kill()
      await shop.emit('meanwhile')
      ;({ url } = await start())
      await shop.emit('after')
      await eventually(() => expect(received).toEqual(['before', 'meanwhile', 'after']))
      expect(gaps).toEqual([])
      await eventually(() => expect(endedOf(shop)).toEqual([shop.requests[0]?.url]))
    },
    120_000,
  )
})
