/** Middleware that keeps state in a store, on every store. Each store has two connections, as two processes have. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer, type Server } from 'portcall'
import { connect } from 'portcall/client'
import {
  byAddress,
  createStoredAuditLog,
  idempotency,
  idempotencyKey,
  type Middleware,
  rateLimit,
  resultCache,
  resultSizeLimit,
  retry,
  verifyAuditLog,
} from 'portcall/middleware'
import { serve } from 'portcall/node'
import { type KeyValueStore, memoryStores, type Stores } from 'portcall/stores'
import { sqliteStores } from 'portcall/stores/sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { POSTGRES_DRIVERS, REDIS_DRIVERS } from './support/drivers.ts'

const LONG_MS = 120_000
const folder = temporaryFolder(afterAll)
const { redis: redisServer, postgres: postgresServer } = await startDatabases({ args: ['-c', 'fsync=off'] })

/** Opens stores on the same data each time it is called with the same namespace. */
type Open = (namespace: string) => Stores

const inMemory = new Map<string, Stores>()
const openMemory: Open = (namespace) => {
  const stores = inMemory.get(namespace) ?? memoryStores()
  inMemory.set(namespace, stores)
  return stores
}

const STORES: [name: string, isAvailable: boolean, open: Open][] = [
  ['memory', true, openMemory],
  ['sqlite', true, (namespace) => sqliteStores(join(folder, `${namespace}.db`))],
  ...Object.entries(REDIS_DRIVERS).map(([name, open]): (typeof STORES)[number] => [
    `redis with ${name}`,
    redisServer !== undefined,
    (namespace) => open(redisServer?.url ?? '', { namespace }),
  ]),
  ...Object.entries(POSTGRES_DRIVERS).map(([name, open]): (typeof STORES)[number] => [
    `postgres with ${name}`,
    postgresServer !== undefined,
    (namespace) => open(postgresServer?.url ?? '', { namespace }),
  ]),
]

/** A server whose tool counts its runs, and a client. */
async function startCounting(middleware: Middleware, run: () => unknown = () => undefined) {
  const runs = vi.fn(run)
  const server = createServer({ name: 'counting', version: '1' }, { onEvent: () => {} })
  server.use(middleware)
  server.tool('count', {}, async () => {
    await runs()
    return String(runs.mock.calls.length)
  })
  const client = await connect(server)
  onTestFinished(() => client.close())
  return { runs, client }
}

describe.each(STORES)('%s', (_name, isAvailable, open) => {
  const stores: Stores[] = []
  let first: KeyValueStore
  let second: KeyValueStore
  let created = 0

  beforeEach(() => {
    const namespace = `middleware_${process.pid}_${created++}_${_name.replaceAll(/\W/g, '_')}`
    stores.push(open(namespace), open(namespace))
    first = stores[0]!.store
    second = stores[1]!.store
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((one) => one.close()))
  })

  test.skipIf(!isAvailable)('a rate limit is exact for concurrent requests on both connections', async () => {
    const limit = { limit: 20, intervalMs: 3_600_000 }
    const servers = await Promise.all([first, second].map((store) => startCounting(rateLimit({ ...limit, store }))))
    await Promise.all(servers.flatMap(({ client }) => Array.from({ length: 25 }, () => client.callTool('count').catch(() => {}))))
    expect(servers.reduce((sum, { runs }) => sum + runs.mock.calls.length, 0)).toBe(20)
  })

  test.skipIf(!isAvailable)(
    'a call with an idempotency key runs once, on whichever connection and however often it is sent',
    async () => {
      let finish = (): void => {}
      const running = new Promise<void>((resolve) => {
        finish = resolve
      })
      const servers = await Promise.all([first, second].map((store) => startCounting(idempotency({ store }), () => running)))
      const options = { meta: idempotencyKey('order-7') }
      const calls = servers.flatMap(({ client }) => [
        client.callTool('count', {}, options),
        client.callTool('count', {}, options),
      ])
      await eventually(() => expect(servers.some(({ runs }) => runs.mock.calls.length > 0)).toBe(true))
      finish()
      const results = await Promise.all(calls)
      expect(new Set(results.map(({ content }) => JSON.stringify(content)))).toEqual(new Set(['[{"type":"text","text":"1"}]']))
      const later = await servers[1]!.client.callTool('count', {}, options)
      expect(later.content).toEqual(results[0]!.content)
      expect(servers.reduce((sum, { runs }) => sum + runs.mock.calls.length, 0)).toBe(1)
    },
  )

  test.skipIf(!isAvailable)(
    'a key cannot be used for other arguments, and its calls fail when their process has failed',
    async () => {
      const [crashing, other] = await Promise.all([
        startCounting(idempotency({ store: failAfterStart(first), leaseTtlMs: 200 })),
        startCounting(idempotency({ store: second, leaseTtlMs: 200 })),
      ])
      const options = { meta: idempotencyKey('order-8') }
      await expect(crashing.client.callTool('count', {}, options)).rejects.toThrow()
      await expect(other.client.callTool('count', { other: true }, options)).rejects.toThrow(
        /used for a request with other params/,
      )
      await expect(other.client.callTool('count', {}, options)).rejects.toThrow(/Its outcome is unknown/)
      expect(other.runs).not.toHaveBeenCalled()
    },
  )

  test.skipIf(!isAvailable)('a result that is too large is read through the other connection, by its caller only', async () => {
    const limit = { maxBytes: 500, exceeded: 'link' } as const
    const [one, two] = [first, second].map((store) => {
      const server = createServer({ name: 'large', version: '1' })
      server.use(resultSizeLimit({ ...limit, store }))
      server.tool('report', {}, () => 'x'.repeat(1000))
      return server
    })
    const as = async (server: Server, principal: string) => {
      const client = await connect(server, {
        middleware: [(request, context, next) => next(request, { ...context, auth: { principal } })],
      })
      onTestFinished(() => client.close())
      return client
    }
    const { content } = await (await as(one!, 'ada')).callTool('report')
    const link = content.find((block) => block.type === 'resource_link')
    const { contents } = await (await as(two!, 'ada')).readResource(link!.uri)
    expect(contents).toMatchObject([{ text: 'x'.repeat(1000) }])
    await expect((await as(two!, 'bob')).readResource(link!.uri)).rejects.toThrow()
  })

  const startCaching = (ttlMs: number) =>
    Promise.all([first, second].map((store) => startCounting(resultCache({ ttlMs, store }))))

  test.skipIf(!isAvailable)('a result is cached for both connections', async () => {
    const [one, two] = await startCaching(3_600_000)
    await one!.client.callTool('count')
    await one!.client.callTool('count')
    expect((await two!.client.callTool('count')).content).toEqual([{ type: 'text', text: '1' }])
    expect([one!.runs.mock.calls.length, two!.runs.mock.calls.length]).toEqual([1, 0])
  })

  test.skipIf(!isAvailable)('a cached result expires for both connections', async () => {
    const [one, two] = await startCaching(400)
    await one!.client.callTool('count')
    await eventually(async () => {
      await two!.client.callTool('count')
      expect(two!.runs).toHaveBeenCalledTimes(1)
    })
  })
})

/** A store of a process that fails while the request runs: nothing is written after the start, not even the end of the lease. */
function failAfterStart(store: KeyValueStore): KeyValueStore {
  const fail = () => Promise.reject(new Error('the process has failed'))
  let failed = false
  return {
    ...store,
    get: (key) => store.get(key),
    set: fail,
    compareAndSet(key, change) {
      if (failed) return fail()
      if (!key.endsWith(':lease')) failed = true
      return store.compareAndSet(key, change)
    },
  }
}

/** The report of a process about its calls. */
interface ProcessReport {
  readonly runs: number
  readonly texts: readonly string[]
}

/** A process with a server whose middleware uses a store that others share. */
interface MiddlewareProcess {
  readonly child: ChildProcess
  call(message: { calls: number; key?: string }): Promise<ProcessReport>
}

const SHARED: [kind: string, isAvailable: boolean, location: (namespace: string) => string, open: Open][] = [
  ['sqlite', true, (namespace) => join(folder, `${namespace}.db`), (namespace) => sqliteStores(join(folder, `${namespace}.db`))],
  [
    'redis',
    redisServer !== undefined,
    () => redisServer!.url,
    (namespace) => REDIS_DRIVERS.ioredis!(redisServer!.url, { namespace }),
  ],
  [
    'postgres',
    postgresServer !== undefined,
    () => postgresServer!.url,
    (namespace) => POSTGRES_DRIVERS.pg!(postgresServer!.url, { namespace }),
  ],
]

describe.each(SHARED)('three processes on %s', (kind, isAvailable, locationOf, open) => {
  let created = 0

  const start = async (middleware: string): Promise<{ processes: MiddlewareProcess[]; stores: Stores }> => {
    const namespace = `racing_${process.pid}_${kind}_${created++}`
    const stores = open(namespace)
    // Creates the tables, so that the processes do not wait for each other.
    await stores.store.get('')
    const program = fileURLToPath(new URL('support/middleware-process.mjs', import.meta.url))
    const children = Array.from({ length: 3 }, () => fork(program, [kind, locationOf(namespace), namespace, middleware]))
    onTestFinished(async () => {
      for (const child of children) child.kill('SIGKILL')
      await stores.close()
    })
    await Promise.all(children.map((child) => once(child, 'message')))
    const processes = children.map((child) => ({
      child,
      call(message: object): Promise<ProcessReport> {
        const report = new Promise<ProcessReport>((resolve) => {
          const onMessage = (received: ProcessReport | string): void => {
            if (typeof received === 'string') return
            child.off('message', onMessage)
            resolve(received)
          }
          child.on('message', onMessage)
        })
        child.send(message)
        return report
      },
    }))
    return { processes, stores }
  }

  test.skipIf(!isAvailable)('together keep a rate limit', { timeout: LONG_MS }, async () => {
    const { processes } = await start('rateLimit')
    const reports = await Promise.all(processes.map(({ call }) => call({ calls: 60 })))
    expect(reports.reduce((sum, { runs }) => sum + runs, 0)).toBe(50)
    expect(reports.flatMap(({ texts }) => texts).filter((text) => text.startsWith('Rate limit exceeded'))).toHaveLength(130)
  })

  test.skipIf(!isAvailable)('run calls with the same idempotency key once', { timeout: LONG_MS }, async () => {
    const { processes } = await start('idempotency')
    for (let order = 1; order <= 5; order++) {
      const reports = await Promise.all(processes.map(({ call }) => call({ calls: 4, key: `order-${order}` })))
      expect(new Set(reports.flatMap(({ texts }) => texts)).size).toBe(1)
      expect(reports.reduce((sum, { runs }) => sum + runs, 0)).toBe(order)
    }
  })

  test.skipIf(!isAvailable)('do not run a call again whose process was killed', { timeout: LONG_MS }, async () => {
    const { processes } = await start('idempotency')
    const [killed, ...others] = processes
    killed!.child.send({ calls: 1, key: 'payment' })
    await once(killed!.child, 'message')
    killed!.child.kill('SIGKILL')
    const reports = await Promise.all(others.map(({ call }) => call({ calls: 2, key: 'payment' })))
    expect(reports.map(({ runs }) => runs)).toEqual([0, 0])
    for (const text of reports.flatMap(({ texts }) => texts)) expect(text).toContain('Its outcome is unknown')
  })

  test.skipIf(!isAvailable)('write one audit log, in which every change is found', { timeout: LONG_MS }, async () => {
    const { processes, stores } = await start('auditLog')
    await Promise.all(processes.map(({ call }) => call({ calls: 5 })))
    const reports = await Promise.all(processes.map(({ call }) => call({ calls: 5 })))
    expect(reports.reduce((sum, { runs }) => sum + runs, 0)).toBe(30)
    const { store } = stores
    const { lines } = createStoredAuditLog(store)
    const verdict = await verifyAuditLog(lines())
    expect(verdict).toMatchObject({ intact: true, records: 30 })
    const kept = verdict.intact ? { hash: verdict.hash } : {}
    const keys = await store.list('portcall:audit:records:')
    const values = new Map<string, string>()
    for (const key of keys) values.set(key, (await store.get(key)) ?? '')
    expect(keys.length).toBeGreaterThan(2)
    const isIntact = async (): Promise<boolean> => {
      const { intact } = await verifyAuditLog(lines(), kept)
      for (const [key, value] of values) await store.set(key, value)
      return intact
    }
    for (const [at, key] of keys.entries()) {
      const value = values.get(key) ?? ''
      const other = keys[(at + 1) % keys.length]!
      await store.set(key, value.replace('"ok"', '"failed"'))
      expect([key, 'changed', await isIntact()]).toEqual([key, 'changed', false])
      await store.delete(key)
      expect([key, 'removed', await isIntact()]).toEqual([key, 'removed', false])
      await store.set(key, values.get(other) ?? '')
      await store.set(other, value)
      expect([key, 'moved', await isIntact()]).toEqual([key, 'moved', false])
      for (const later of keys.slice(at)) await store.delete(later)
      expect([key, 'cut off', await isIntact()]).toEqual([key, 'cut off', false])
    }
    expect(await isIntact()).toBe(true)
  })
})

test('a limit by address counts each client behind a proxy, and an IPv6 network as one', async () => {
  const server = createServer({ name: 'limited', version: '1' })
  server.use(rateLimit({ limit: 1, intervalMs: 3_600_000, key: byAddress({ trustedProxies: 1 }) }))
  server.tool('count', {}, () => 'ok')
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => close())
  const call = async (forwarded: string): Promise<boolean> => {
    const client = await connect(url, { headers: { 'x-forwarded-for': forwarded } })
    const { isError } = await client.callTool('count')
    await client.close()
    return isError !== true
  }
  expect(await call('203.0.113.1')).toBe(true)
  expect(await call('203.0.113.1')).toBe(false)
  expect(await call('9.9.9.9, 203.0.113.1')).toBe(false)
  expect(await call('203.0.113.2')).toBe(true)
  expect(await call('2001:db8::1')).toBe(true)
  expect(await call('2001:db8:0:0:ffff::2')).toBe(false)
  expect(await call('2001:db8:0:1::1')).toBe(true)
})

test('a client retries what is safe after the connection was lost, and calls only with a key', async () => {
  let failures = 0
  const runs = vi.fn()
  const server = createServer({ name: 'flaky', version: '1' })
  server.use(idempotency())
  server.tool('pay', {}, () => {
    runs()
    return 'paid'
  })
  // The proxy in front fails every request twice: before the server sees it, and after the server has answered it.
  const flaky: Middleware = async (request, context, next) => {
    failures = (failures + 1) % 3
    if (failures === 1) throw Object.assign(new Error('lost'), { retryable: true })
    const response = await next(request, context)
    if (failures === 2) throw Object.assign(new Error('lost'), { retryable: true })
    return response
  }
  const open = async (options: Parameters<typeof retry>[0]) => {
    const client = await connect(server, { middleware: [retry({ firstDelayMs: 1, ...options }), flaky] })
    onTestFinished(() => client.close())
    return client
  }
  const careful = await open({})
  expect((await careful.tools().toArray()).map(({ name }) => name)).toEqual(['pay'])
  await expect(careful.callTool('pay')).rejects.toThrow('lost')
  failures = 0
  const keyed = await open({ addKeys: true })
  expect((await keyed.callTool('pay')).content).toEqual([{ type: 'text', text: 'paid' }])
  expect(runs).toHaveBeenCalledTimes(1)
})
