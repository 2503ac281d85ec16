/** Tasks of many machines: BullMQ or pg-boss brings them to whoever is free. */
import { createServer } from 'portcall'
import type { Stores } from 'portcall/stores'
import { type TaskEngine, tasks } from 'portcall/tasks'
import { type BullMQOptions, bullmq } from 'portcall/tasks/bullmq'
import { type PgBossInstance, pgBoss } from 'portcall/tasks/pg-boss'

/** The tasks rest in the stores, and the engine carries them. */
function createPrinter(stores: Stores, engine: TaskEngine) {
  const server = createServer({ name: 'printer', version: '1.0.0' }, { stores, extensions: [tasks({ engine })] })
  server.tool('print', { description: 'Prints the book', task: 'required' }, async (_, call) => {
    const pages = await call.step('print', () => 3)
    return `Printed ${pages} pages`
  })
  return server
}

// #region bullmq
/** `import { Queue, Worker } from 'bullmq'` and `redis(…)` for the stores. */
export function printerOnRedis(stores: Stores, { Queue, Worker }: Pick<BullMQOptions, 'Queue' | 'Worker'>, url: string) {
  return createPrinter(stores, bullmq({ Queue, Worker, connection: { url }, queue: 'printer' }))
}
// #endregion

// #region pg-boss
/** `await new PgBoss(url).start()` and `postgres(…)` for the stores. */
export function printerOnPostgres(stores: Stores, boss: PgBossInstance) {
  return createPrinter(stores, pgBoss(boss, { queue: 'printer' }))
}
// #endregion
