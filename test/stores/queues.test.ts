/** The contract of task queues: in stores on Redis and PostgreSQL, on BullMQ and on pg-boss. */
import { Queue, Worker } from 'bullmq'
import PgBoss from 'pg-boss'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { memoryStores, type Stores } from 'portcall/stores'
import { tasks as serverTasks, type TaskQueue } from 'portcall/tasks'
import { bullmq } from 'portcall/tasks/bullmq'
import { tasks } from 'portcall/tasks/client'
import { pgBoss } from 'portcall/tasks/pg-boss'
import { queueContract } from 'portcall/testing'
import { describe, expect, test } from 'vitest'
import { printerOnPostgres, printerOnRedis } from '../../examples/queues.ts'
import { createStoreQueue } from '../../packages/portcall/src/tasks/queues/store-queue.ts'
import { EVENTUALLY_TIMEOUT_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { type OpenStores, POSTGRES_DRIVERS, REDIS_DRIVERS } from './support/drivers.ts'
import { openBullMQ, openPgBoss } from './support/queues.ts'

const { redis: redisServer, postgres: postgresServer } = await startDatabases({ args: ['-c', 'fsync=off'] })

let created = 0
const uniqueName = (): string => `queues_${process.pid}_${created++}`

/** Tests the queue in a store. Each instance of the stores stands for one process. */
function testStoreQueue(url: string, open: OpenStores | undefined): void {
  queueContract({
    test,
    create() {
      const namespace = uniqueName()
      const all: Stores[] = []
      const subject = () => {
        const stores = open?.(url, { namespace, timeoutMs: EVENTUALLY_TIMEOUT_MS }) ?? memoryStores()
        all.push(stores)
        return createStoreQueue({ ...stores, pollIntervalMs: 1000 })
      }
      return { subject, close: async () => void (await Promise.all(all.map((stores) => stores.close()))) }
    },
  })
}

describe.skipIf(!redisServer)('store queue in redis', () => testStoreQueue(redisServer?.url ?? '', REDIS_DRIVERS['ioredis']))
describe.skipIf(!postgresServer)('store queue in postgres', () =>
  testStoreQueue(postgresServer?.url ?? '', POSTGRES_DRIVERS['pg']),
)

describe.skipIf(!redisServer)('BullMQ', () => {
  queueContract({
    test,
    create() {
      const { open, close } = openBullMQ(redisServer?.url ?? '', uniqueName())
      return { subject: open, close }
    },
  })

  test('the example', async () => {
    const server = printerOnRedis(memoryStores(), { Queue, Worker }, redisServer?.url ?? '')
    await expectPrinted(server)
  })

  test('a call that becomes a task while Redis is unavailable is started after its recovery', async () => {
    const queue = bullmq({ Queue, Worker, connection: { url: redisServer?.url }, queueName: uniqueName(), timeoutMs: 500 })
    if (redisServer) await expectDelayedStart(queue, redisServer)
  })

  test('operations fail in time if there is no Redis', async () => {
    const queue = bullmq({ Queue, Worker, connection: { host: '127.0.0.1', port: 1 }, timeoutMs: 300 })
    const startedAt = performance.now()
    await expect(queue.enqueue('-/a', { ttlMs: 1000 })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await queue.close()
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
})

/** Runs the tool of the example as a task. */
async function expectPrinted(server: ReturnType<typeof printerOnRedis>): Promise<void> {
  const client = await connect(server, { extensions: [tasks()] })
  const { content } = await client.callTool('print')
  expect(content).toEqual([{ type: 'text', text: 'Printed 3 pages' }])
  await client.close()
  await server.tasks.stop()
  server.close()
}

interface Service {
  kill(): Promise<void>
  start(): Promise<void>
}

/** Expects that a call becomes a task while the service of the queue is down, and is started after its recovery. The store is available. */
async function expectDelayedStart(queue: TaskQueue, { kill, start }: Service): Promise<void> {
  const limits = { leaseTtlMs: 500, sweepIntervalMs: 500 }
  const server = createServer(
    { name: 'outage', version: '1.0.0' },
    { extensions: [serverTasks({ queue, limits })], onEvent() {} },
  )
  server.tool('work', { task: 'required' }, () => 'done')
  const client = await connect(server, { extensions: [tasks()] })
  expect(await client.callTool('work')).toMatchObject({ content: [{ text: 'done' }] })
  await kill()
  const started = await client.tasks.start('work')
  await start()
  if (!('taskId' in started)) throw new Error('The call did not become a task')
  expect(await client.tasks.open(started.taskId).result()).toMatchObject({ content: [{ text: 'done' }] })
  await client.close()
  await server.tasks.stop()
  server.close()
}

describe.skipIf(!postgresServer)('pg-boss', () => {
  queueContract({
    test,
    async create() {
      const { open, close } = await openPgBoss(postgresServer?.url ?? '', uniqueName())
      return { subject: open, close }
    },
  })

  test('the example', async () => {
    const boss = new PgBoss(postgresServer?.url ?? '')
    boss.on('error', () => {})
    await boss.start()
    await expectPrinted(printerOnPostgres(memoryStores(), boss))
    await boss.stop({ graceful: false })
  })

  test('a call that becomes a task while PostgreSQL is unavailable is started after its recovery', async () => {
    const boss = new PgBoss(postgresServer?.url ?? '')
    boss.on('error', () => {})
    await boss.start()
    if (postgresServer)
      await expectDelayedStart(pgBoss(boss, { queueName: uniqueName(), pollIntervalMs: 100, timeoutMs: 500 }), postgresServer)
    await boss.stop({ graceful: false })
  })
})
