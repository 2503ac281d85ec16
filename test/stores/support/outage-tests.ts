/** Tests of the behavior of stores while their database server is unavailable, and after its recovery. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Stores, StoreUnavailableError } from 'portcall/stores'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import type { OpenStores } from './drivers.ts'
import { createLossyProxy } from './lossy-proxy.ts'

export interface Server {
  readonly url: string
  readonly port: number
  start(): Promise<void>
  kill(): Promise<void>
  restart(): Promise<void>
  pause(): void
  resume(): void
}

const TIMEOUT_MS = 2000

let created = 0

async function withStores(open: OpenStores, url: string, body: (stores: Stores) => Promise<void>): Promise<void> {
  const stores = open(url, { namespace: `outage_${process.pid}_${created++}`, timeoutMs: TIMEOUT_MS })
  try {
    await body(stores)
  } finally {
    await stores.close()
  }
}

/** Appends entries, one after another, until it is stopped. Collects those that were acknowledged. */
function startAppending({ log }: Stores) {
  const acknowledged: string[] = []
  let isRunning = true
  const running = (async () => {
    for (let at = 0; isRunning; at++) {
      const data = `entry ${at}`
      await log.append('log', data).then(
        () => acknowledged.push(data),
        async (error) => {
          expect(error).toBeInstanceOf(StoreUnavailableError)
          await sleep(10)
        },
      )
    }
  })()
  const stop = async (): Promise<void> => {
    isRunning = false
    await running
  }
  return { acknowledged, stop }
}

/** Expects that all acknowledged entries are stored, in order, and none twice. */
async function expectStored({ log }: Stores, acknowledged: string[]): Promise<void> {
  const stored = (await eventually(() => log.read('log'))).map(({ data }) => data)
  expect(new Set(stored).size).toBe(stored.length)
  expect(stored.filter((data) => acknowledged.includes(data))).toEqual(acknowledged)
}

async function failureOf(operation: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const before = performance.now()
  const error = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, ms: performance.now() - before }
}

async function waitForRecovery({ store }: Stores): Promise<void> {
  await eventually(() => store.set('recovered', 'yes'))
  await eventually(async () => expect(await store.get('recovered')).toBe('yes'))
}

const RESTARTS: Record<string, (server: Server) => Promise<void>> = {
  'is restarted': (server) => server.restart(),
  'is killed with SIGKILL and restarted': async (server) => {
    await server.kill()
    await sleep(2 * TIMEOUT_MS)
    await server.start()
  },
}

/** Registers the tests of one driver. */
export function testOutages(name: string, server: Server, open: OpenStores): void {
  describe(name, () => {
    for (const [restart, run] of Object.entries(RESTARTS)) {
      test(`a server that ${restart}: nothing acknowledged is lost, nothing is stored twice, and the bus recovers`, async () => {
        await withStores(open, server.url, async (stores) => {
          const received: string[] = []
          await stores.bus.subscribe('topic', (message) => void received.push(message))
          await stores.store.set('stored', 'yes')
          const appending = startAppending(stores)
          await eventually(() => expect(appending.acknowledged.length).toBeGreaterThan(20))
          await run(server)
          await waitForRecovery(stores)
          const before = appending.acknowledged.length
          await eventually(() => expect(appending.acknowledged.length).toBeGreaterThan(before + 20))
          await appending.stop()
          await expectStored(stores, appending.acknowledged)
          await eventually(async () => expect(await stores.store.get('stored')).toBe('yes'))
          await eventually(
            async () => {
              await stores.bus.publish('topic', 'again').catch(() => {})
              expect(received).toContain('again')
            },
            { intervalMs: 50 },
          )
        })
      })
    }

    test('a server that hangs: the first operations time out, further ones fail immediately', async () => {
      await withStores(open, server.url, async (stores) => {
        await stores.log.append('log', 'first')
        await stores.store.set('key', 'value')
        server.pause()
        try {
          const first = await Promise.all([
            failureOf(stores.store.get('key')),
            failureOf(stores.log.append('log', 'lost?')),
            failureOf(stores.bus.publish('a', 'b')),
          ])
          for (const { error, ms } of first) {
            expect(error).toBeInstanceOf(StoreUnavailableError)
            expect(ms).toBeLessThan(30 * TIMEOUT_MS)
          }
          let waited = 0
          for (let turn = 0; turn < 40; turn++) {
            const { error, ms } = await failureOf(
              Promise.all(Array.from({ length: 25 }, (_, at) => stores.store.get(`key ${at}`))),
            )
            expect(error).toBeInstanceOf(StoreUnavailableError)
            waited += ms
          }
          expect(waited).toBeLessThan(20 * TIMEOUT_MS)
        } finally {
          server.resume()
        }
        await waitForRecovery(stores)
        await stores.log.append('log', 'last')
        const stored = (await stores.log.read('log')).map(({ data }) => data)
        expect([
          ['first', 'last'],
          ['first', 'lost?', 'last'],
        ]).toContainEqual(stored)
      })
    })

    test('the number of pending operations is limited', async () => {
      await withStores(open, server.url, async (stores) => {
        await stores.store.get('warm')
        server.pause()
        try {
          const failures = await Promise.all(
            Array.from({ length: 20_000 }, (_, at) => failureOf(stores.store.set(`key ${at}`, 'x'))),
          )
          expect(failures.every(({ error }) => error instanceof StoreUnavailableError)).toBe(true)
          expect(failures.filter(({ error }) => String(error).includes('Too many operations are waiting')).length).toBe(10_000)
        } finally {
          server.resume()
        }
        await waitForRecovery(stores)
      })
    })

    test('an append whose response is lost is applied once', async () => {
      const proxy = await createLossyProxy(server.port)
      try {
        await withStores(open, server.url.replace(String(server.port), String(proxy.port)), async (stores) => {
          await stores.log.append('log', 'first')
          proxy.dropNextResponse()
          const position = await stores.log.append('log', 'second')
          await stores.log.append('log', 'third')
          expect((await stores.log.read('log')).map(({ data }) => data)).toEqual(['first', 'second', 'third'])
          expect((await stores.log.read('log', position)).map(({ data }) => data)).toEqual(['third'])
        })
      } finally {
        await proxy.close()
      }
    })

    test('a compareAndSet whose response is lost rejects', async () => {
      const proxy = await createLossyProxy(server.port)
      try {
        await withStores(open, server.url.replace(String(server.port), String(proxy.port)), async (stores) => {
          await stores.store.set('key', 'a')
          proxy.dropNextResponse()
          const { error } = await failureOf(stores.store.compareAndSet('key', { expected: 'a', value: 'b' }))
          expect(error).toBeInstanceOf(StoreUnavailableError)
          await waitForRecovery(stores)
          expect(['a', 'b']).toContain(await stores.store.get('key'))
        })
      } finally {
        await proxy.close()
      }
    })
  })
}
