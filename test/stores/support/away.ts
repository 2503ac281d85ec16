/** What holds for every server that stores rest on, when it is away and when it comes back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Stores, StoreUnavailable } from 'portcall/stores'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import type { Open } from './drivers.ts'
import { createWire } from './wire.ts'

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

let made = 0

async function using(open: Open, url: string, body: (stores: Stores) => Promise<void>): Promise<void> {
  const stores = open(url, { place: `away_${process.pid}_${made++}`, timeoutMs: TIMEOUT_MS })
  try {
    await body(stores)
  } finally {
    await stores.close()
  }
}

/** Appends one entry after another until it is stopped, and keeps what was acknowledged. */
function appendOnAndOn({ log }: Stores) {
  const acknowledged: string[] = []
  let going = true
  const running = (async () => {
    for (let at = 0; going; at++) {
      const data = `entry ${at}`
      await log.append('log', data).then(
        () => acknowledged.push(data),
        async (error) => {
          expect(error).toBeInstanceOf(StoreUnavailable)
          await sleep(10)
        },
      )
    }
  })()
  const stop = async (): Promise<void> => {
    going = false
    await running
  }
  return { acknowledged, stop }
}

/** Everything acknowledged is there, in order, and nothing twice. */
async function expectKept({ log }: Stores, acknowledged: string[]): Promise<void> {
  const kept = (await eventually(() => log.read('log'))).map(({ data }) => data)
  expect(new Set(kept).size).toBe(kept.length)
  expect(kept.filter((data) => acknowledged.includes(data))).toEqual(acknowledged)
}

async function fate(operation: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const before = performance.now()
  const error = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { error, ms: performance.now() - before }
}

async function comesBack({ store }: Stores): Promise<void> {
  await eventually(() => store.set('back', 'yes'))
  await eventually(async () => expect(await store.get('back')).toBe('yes'))
}

const ENDS: Record<string, (server: Server) => Promise<void>> = {
  'is restarted': (server) => server.restart(),
  'is killed by SIGKILL and started again': async (server) => {
    await server.kill()
    await sleep(2 * TIMEOUT_MS)
    await server.start()
  },
}

/** The tests of one driver. */
export function describeAway(name: string, server: Server, open: Open): void {
  describe(name, () => {
    for (const [end, run] of Object.entries(ENDS)) {
      test(`a server that ${end}: nothing acknowledged is lost, nothing is there twice, and the bus hears again`, async () => {
        await using(open, server.url, async (stores) => {
          const heard: string[] = []
          await stores.bus.subscribe('topic', (message) => void heard.push(message))
          await stores.store.set('kept', 'yes')
          const appending = appendOnAndOn(stores)
          await eventually(() => expect(appending.acknowledged.length).toBeGreaterThan(20))
          await run(server)
          await comesBack(stores)
          const before = appending.acknowledged.length
          await eventually(() => expect(appending.acknowledged.length).toBeGreaterThan(before + 20))
          await appending.stop()
          await expectKept(stores, appending.acknowledged)
          await eventually(async () => expect(await stores.store.get('kept')).toBe('yes'))
          await eventually(async () => {
            await stores.bus.publish('topic', 'again').catch(() => {})
            expect(heard).toContain('again')
          }, 50)
        })
      })
    }

    test('a server that hangs: the first operations fail in time, the others at once, and nothing piles up', async () => {
      await using(open, server.url, async (stores) => {
        await stores.log.append('log', 'first')
        await stores.store.set('key', 'value')
        server.pause()
        try {
          const first = await Promise.all([
            fate(stores.store.get('key')),
            fate(stores.log.append('log', 'lost?')),
            fate(stores.bus.publish('a', 'b')),
          ])
          for (const { error, ms } of first) {
            expect(error).toBeInstanceOf(StoreUnavailable)
            expect(ms).toBeLessThan(30 * TIMEOUT_MS)
          }
          let waited = 0
          for (let turn = 0; turn < 40; turn++) {
            const { error, ms } = await fate(Promise.all(Array.from({ length: 25 }, (_, at) => stores.store.get(`key ${at}`))))
            expect(error).toBeInstanceOf(StoreUnavailable)
            waited += ms
          }
          expect(waited).toBeLessThan(20 * TIMEOUT_MS)
        } finally {
          server.resume()
        }
        await comesBack(stores)
        await stores.log.append('log', 'last')
        const kept = (await stores.log.read('log')).map(({ data }) => data)
        expect([
          ['first', 'last'],
          ['first', 'lost?', 'last'],
        ]).toContainEqual(kept)
      })
    })

    test('what waits is bounded', async () => {
      await using(open, server.url, async (stores) => {
        await stores.store.get('warm')
        server.pause()
        try {
          const fates = await Promise.all(Array.from({ length: 20_000 }, (_, at) => fate(stores.store.set(`key ${at}`, 'x'))))
          expect(fates.every(({ error }) => error instanceof StoreUnavailable)).toBe(true)
          expect(fates.filter(({ error }) => String(error).includes('Too much waits')).length).toBe(10_000)
        } finally {
          server.resume()
        }
        await comesBack(stores)
      })
    })

    test('an append whose answer is lost is done once', async () => {
      const wire = await createWire(server.port)
      try {
        await using(open, server.url.replace(String(server.port), String(wire.port)), async (stores) => {
          await stores.log.append('log', 'first')
          wire.loseAnswer()
          const position = await stores.log.append('log', 'second')
          await stores.log.append('log', 'third')
          expect((await stores.log.read('log')).map(({ data }) => data)).toEqual(['first', 'second', 'third'])
          expect((await stores.log.read('log', position)).map(({ data }) => data)).toEqual(['third'])
        })
      } finally {
        await wire.close()
      }
    })

    test('a swap whose answer is lost says that it does not know', async () => {
      const wire = await createWire(server.port)
      try {
        await using(open, server.url.replace(String(server.port), String(wire.port)), async (stores) => {
          await stores.store.set('key', 'a')
          wire.loseAnswer()
          const { error } = await fate(stores.store.swap('key', { expected: 'a', value: 'b' }))
          expect(error).toBeInstanceOf(StoreUnavailable)
          await comesBack(stores)
          expect(['a', 'b']).toContain(await stores.store.get('key'))
        })
      } finally {
        await wire.close()
      }
    })
  })
}
