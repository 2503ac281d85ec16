/** Stores that cannot connect: the first operation of each kind says why, at once if trying again is of no use, and nothing keeps the process running. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { Stores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import postgresJs from 'postgres'
import { createClient } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { startRedis } from '../support/services/redis.mjs'
import { administerPostgres, commandRedis } from './support/administer.ts'

const { redis, postgres } = await startDatabases({ args: ['-c', 'fsync=off'] })
const USER = 'limited'
if (redis) await commandRedis(redis.url, 'ACL', 'SETUSER', USER, 'on', '>right', '~*', '&*', '+@all')
if (postgres) await requirePassword(postgres.url)

/** Creates a user, and lets PostgreSQL ask this user for a password. */
async function requirePassword(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ hba_file: string }>('show hba_file')
  await client.end()
  writeFileSync(rows[0]?.hba_file ?? '', `host all ${USER} all scram-sha-256\nhost all all all trust\n`)
  await administerPostgres(url, `create role ${USER} login password 'right'`, 'select pg_reload_conf()')
}

interface Settings {
  readonly port: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  readonly isEncrypted?: boolean
}

interface Driver {
  readonly port: number | undefined
  /** A database that does not exist. */
  readonly missing: string
  open(settings: Settings, timeoutMs: number): Stores
}

const host = '127.0.0.1'
const DRIVERS: Record<string, Driver> = {
  ioredis: {
    port: redis?.port,
    missing: '99',
    open({ port, user, password, database = '0', isEncrypted }, timeoutMs) {
      const login = user === undefined ? {} : { username: user, password: password ?? '' }
      const tls = isEncrypted ? { tls: {} } : {}
      return redisStores(new Redis({ host, port, db: Number(database), ...login, ...tls, lazyConnect: true }), { timeoutMs })
    },
  },
  redis: {
    port: redis?.port,
    missing: '99',
    open({ port, user, password, database = '0', isEncrypted }, timeoutMs) {
      const url = `redis${isEncrypted ? 's' : ''}://${user ? `${user}:${password}@` : ''}${host}:${port}/${database}`
      return redisStores(createClient({ url }), { timeoutMs })
    },
  },
  pg: {
    port: postgres?.port,
    missing: 'missing',
    open({ port, user = 'portcall', password = '', database = 'postgres', isEncrypted }, timeoutMs) {
      const pool = new pg.Pool({ host, port, user, password, database, ...(isEncrypted && { ssl: {} }) })
      onTestFinished(() => pool.end())
      return postgresStores(pool, { timeoutMs, schema: 'connecting_pg' })
    },
  },
  postgres: {
    port: postgres?.port,
    missing: 'missing',
    open({ port, user = 'portcall', password = '', database = 'postgres', isEncrypted }, timeoutMs) {
      const sql = postgresJs({ host, port, user, password, database, max: 2, ...(isEncrypted && { ssl: {} }) })
      onTestFinished(() => sql.end({ timeout: 1 }))
      return postgresStores(sql, { timeoutMs, schema: 'connecting_postgres' })
    },
  },
}

/** Longer than a test may take: there is no second try. */
const FOREVER_MS = 300_000

/** Expects that subscribing, reading and appending fail with a message. */
async function expectFailure({ bus, store, log }: Stores, message: RegExp): Promise<void> {
  for (const run of [() => bus.subscribe('a', () => {}), () => store.get('a'), () => log.append('a', 'b')])
    await expect(run()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(message) })
}

describe.each(Object.entries(DRIVERS))('%s', (_, { port, missing, open }) => {
  const openHere = (settings: Partial<Settings>, timeoutMs: number): Stores => {
    const stores = open({ port: port ?? 0, ...settings }, timeoutMs)
    onTestFinished(stores.close)
    return stores
  }

  test.skipIf(!port)('a wrong password is named at once', async () => {
    await expectFailure(openHere({ user: USER, password: 'wrong' }, FOREVER_MS), /WRONGPASS|password authentication failed/)
  })

  test.skipIf(!port)('a database that does not exist is named at once', async () => {
    await expectFailure(openHere({ database: missing }, FOREVER_MS), /DB index is out of range|does not exist/)
  })

  test.skipIf(!port)('a server without TLS is named', async () => {
    await expectFailure(openHere({ isEncrypted: true }, 2000), /no TLS handshake|does not support SSL|before secure TLS/)
  })
})

test.skipIf(!redis)('connections that Redis has no room for are tried again', async () => {
  const server = await startRedis({ args: ['--maxclients', '1'] })
  onTestFinished(async () => void (await server?.stop()))
  const taken = new Redis(server?.url ?? '')
  await taken.ping()
  const all = ['ioredis', 'redis'].map((name) => DRIVERS[name]?.open({ port: server?.port ?? 0 }, 60_000).store)
  const reading = all.map((store) => store?.get('a'))
  await eventually(async () =>
    expect(Number(/rejected_connections:(\d+)/.exec(await taken.info('stats'))?.[1])).toBeGreaterThan(3),
  )
  await taken.config('SET', 'maxclients', '100')
  expect(await Promise.all(reading)).toEqual([undefined, undefined])
  taken.disconnect()
})

const CLIENTS: Record<string, string> = {
  ioredis: `const { Redis } = await import('ioredis'); const client = new Redis({ port, lazyConnect: true })`,
  'ioredis with TLS': `const { Redis } = await import('ioredis'); const client = new Redis({ port, tls: {}, lazyConnect: true })`,
  'ioredis with Sentinel': `const { Redis } = await import('ioredis'); const client = new Redis({ sentinels: [{ port }], name: 'a', lazyConnect: true })`,
  'a Cluster of ioredis': `const { Cluster } = await import('ioredis'); const client = new Cluster([{ port }], { lazyConnect: true })`,
  redis: `const { createClient } = await import('redis'); const client = createClient({ socket: { port } })`,
  'redis with TLS': `const { createClient } = await import('redis'); const client = createClient({ socket: { port, tls: true } })`,
}

test.each(Object.entries(CLIENTS))(
  '%s: a server that never answers does not keep a process running after close',
  async (_, create) => {
    const server = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, host)
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const source = `
    const port = ${(server.address() as AddressInfo).port}
    ${create}
    const { redisStores } = await import('portcall/stores/redis')
    const stores = redisStores(client, { timeoutMs: 500 })
    const subscribing = stores.bus.subscribe('a', () => {}).catch(() => {})
    await stores.store.get('a').catch((error) => console.log(error.code))
    await subscribing
    await stores.close()
    console.log('closed')
  `
    const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let [output, closedAt] = ['', 0]
    child.stdout.on('data', (text) => {
      output += text
      if (output.includes('closed')) closedAt = performance.now()
    })
    await once(child, 'exit')
    expect(output).toBe('STORE_UNAVAILABLE\nclosed\n')
    // The clients wait for up to ten seconds by themselves.
    expect(performance.now() - closedAt).toBeLessThan(4000)
  },
)
