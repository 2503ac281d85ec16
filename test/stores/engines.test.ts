/** The contract of engines for tasks: in every store that is shared, on BullMQ and on pg-boss. */
import { Queue, Worker } from 'bullmq'
import PgBoss from 'pg-boss'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { memory, type Stores } from 'portcall/stores'
import { tasks as serverTasks, type TaskEngine } from 'portcall/tasks'
import { bullmq } from 'portcall/tasks/bullmq'
import { tasks } from 'portcall/tasks/client'
import { pgBoss } from 'portcall/tasks/pg-boss'
import { engineContract } from 'portcall/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { printerOnPostgres, printerOnRedis } from '../../examples/engines.ts'
import { createStoreEngine } from '../../packages/portcall/src/tasks/store-engine.ts'
import { PATIENCE_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { type Open, POSTGRES_DRIVERS, REDIS_DRIVERS } from './support/drivers.ts'
import { openBullMQ, openPgBoss } from './support/engines.ts'

const redisServer = await startRedis()
const postgresServer = await startPostgres({ args: ['-c', 'fsync=off'] })
afterAll(async () => {
  await redisServer?.stop()
  await postgresServer?.stop()
})

let made = 0
const freshQueue = (): string => `engines_${process.pid}_${made++}`

/** The engine in a store: its stores are one process each. */
function inStore(url: string, open: Open | undefined): void {
  engineContract({
    test,
    create() {
      const place = freshQueue()
      const all: Stores[] = []
      const subject = () => {
        const stores = open?.(url, { place, timeoutMs: PATIENCE_MS }) ?? memory()
        all.push(stores)
        return createStoreEngine({ ...stores, pollMs: 1000 })
      }
      return { subject, close: async () => void (await Promise.all(all.map((stores) => stores.close()))) }
    },
  })
}

describe.skipIf(!redisServer)('in redis', () => inStore(redisServer?.url ?? '', REDIS_DRIVERS['ioredis']))
describe.skipIf(!postgresServer)('in postgres', () => inStore(postgresServer?.url ?? '', POSTGRES_DRIVERS['pg']))

describe.skipIf(!redisServer)('BullMQ', () => {
  engineContract({
    test,
    create() {
      const { open, close } = openBullMQ(redisServer?.url ?? '', freshQueue())
      return { subject: open, close }
    },
  })

  test('the example', async () => {
    const server = printerOnRedis(memory(), { Queue, Worker }, redisServer?.url ?? '')
    await expectPrinted(server)
  })

  test('Redis is away when a call becomes a task: it is begun when it is back', async () => {
    const engine = bullmq({ Queue, Worker, connection: { url: redisServer?.url }, queue: freshQueue(), timeoutMs: 500 })
    if (redisServer) await expectBegunLater(engine, redisServer)
  })

  test('a Redis that is not there: a call fails in time', async () => {
    const engine = bullmq({ Queue, Worker, connection: { host: '127.0.0.1', port: 1 }, timeoutMs: 300 })
    const begun = performance.now()
    await expect(engine.add('-/a', { ttlMs: 1000 })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await engine.close()
    expect(performance.now() - begun).toBeLessThan(20_000)
  })
})

/** The tool of the example runs as a task. */
async function expectPrinted(server: ReturnType<typeof printerOnRedis>): Promise<void> {
  const client = await connect(server, { extensions: [tasks()] })
  const { content } = await client.callTool('print')
  expect(content).toEqual([{ type: 'text', text: 'Printed 3 pages' }])
  await client.close()
  await server.tasks.stop()
  server.close()
}

interface Away {
  kill(): Promise<void>
  start(): Promise<void>
}

/** A call becomes a task while there is no way to tell the engine; its store is there. */
async function expectBegunLater(engine: TaskEngine, { kill, start }: Away): Promise<void> {
  const limits = { leaseMs: 500, sweepMs: 500 }
  const server = createServer({ name: 'away', version: '1.0.0' }, { extensions: [serverTasks({ engine, limits })], onEvent() {} })
  server.tool('work', { task: 'required' }, () => 'done')
  const client = await connect(server, { extensions: [tasks()] })
  expect(await client.callTool('work')).toMatchObject({ content: [{ text: 'done' }] })
  await kill()
  const begun = await client.tasks.start('work')
  await start()
  if (!('taskId' in begun)) throw new Error('it did not become a task')
  expect(await client.tasks.open(begun.taskId).result()).toMatchObject({ content: [{ text: 'done' }] })
  await client.close()
  await server.tasks.stop()
  server.close()
}

describe.skipIf(!postgresServer)('pg-boss', () => {
  engineContract({
    test,
    async create() {
      const { open, close } = await openPgBoss(postgresServer?.url ?? '', freshQueue())
      return { subject: open, close }
    },
  })

  test('the example', async () => {
    const boss = new PgBoss(postgresServer?.url ?? '')
    boss.on('error', () => {})
    await boss.start()
    await expectPrinted(printerOnPostgres(memory(), boss))
    await boss.stop({ graceful: false })
  })

  test('PostgreSQL is away when a call becomes a task: it is begun when it is back', async () => {
    const boss = new PgBoss(postgresServer?.url ?? '')
    boss.on('error', () => {})
    await boss.start()
    if (postgresServer) await expectBegunLater(pgBoss(boss, { queue: freshQueue(), pollMs: 100, timeoutMs: 500 }), postgresServer)
    await boss.stop({ graceful: false })
  })
})
