/** Task queues for many machines: BullMQ and pg-boss. */
import { createServer } from 'portcall'
import type { Stores } from 'portcall/stores'
import { type TaskQueue, tasks } from 'portcall/tasks'
import { type BullMQOptions, bullmq } from 'portcall/tasks/bullmq'
import { type PgBossInstance, pgBoss } from 'portcall/tasks/pg-boss'

/** Task records are in the stores; the queue delivers them to workers. */
function createPrinter(stores: Stores, queue: TaskQueue) {
  const server = createServer({ name: 'printer', version: '1.0.0' }, { stores, extensions: [tasks({ queue })] })
  server.tool('print', { description: 'Print the book', task: 'required' }, async (_, call) => {
    const pages = await call.step('print', () => 3)
    return `Printed ${pages} pages`
  })
  return server
}

/** Pass `import { Queue, Worker } from 'bullmq'`, and `redisStores(…)` as the stores. */
export function printerOnRedis(stores: Stores, { Queue, Worker }: Pick<BullMQOptions, 'Queue' | 'Worker'>, url: string) {
  return createPrinter(stores, bullmq({ Queue, Worker, connection: { url }, queueName: 'printer' }))
}

/** Pass `await new PgBoss(url).start()`, and `postgresStores(…)` as the stores. */
export function printerOnPostgres(stores: Stores, boss: PgBossInstance) {
  return createPrinter(stores, pgBoss(boss, { queueName: 'printer' }))
}
