/**
 * One process of a service with tasks: `node task-process.mjs BACKEND URL NAMESPACE FOLDER`. Sends its URL when it listens. Each step of its
 * tool appends a line with the process id to `FOLDER/TASK.log`.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import { sqliteStores } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'
import { bullmq } from 'portcall/tasks/bullmq'
import { pgBoss } from 'portcall/tasks/pg-boss'

const [backend, url, namespace, folder] = process.argv.slice(2)
const LEASE_TTL_MS = 5000

async function startBoss() {
  const boss = new PgBoss({ connectionString: url, schema: `${namespace}_boss`, maintenanceIntervalSeconds: 1, max: 3 })
  boss.on('error', () => {})
  return await boss.start()
}

const STORES = {
  sqlite: () => sqliteStores(url),
  redis: () => redisStores(new Redis(url, { lazyConnect: true }), { prefix: `{${namespace}}:` }),
  postgres: () => postgresStores(new pg.Pool({ connectionString: url }), { schema: namespace }),
}
const QUEUES = {
  BullMQ: () => bullmq({ Queue, Worker, connection: { url }, queueName: namespace, lockTtlMs: LEASE_TTL_MS }),
  'pg-boss': async () => pgBoss(await startBoss(), { queueName: namespace, pollIntervalMs: 200, visibilityTimeoutMs: 1000 }),
}
const [kind, queueType] = backend.split(' with ')
const { store, bus } = STORES[kind]()
const queue = await QUEUES[queueType]?.()
const limits = { leaseTtlMs: LEASE_TTL_MS, maxAttempts: 100 }
const extensions = [tasks({ store, bus, limits, ...(queue && { queue }) })]

const server = createServer({ name: 'tasks', version: '1.0.0' }, { extensions, onEvent: () => {} })
const text = { type: 'string' }
server.tool('work', { task: 'required', input: { type: 'object', properties: { name: text } } }, async ({ name }, call) => {
  const logStep = (step) => {
    appendFileSync(join(folder, `${name}.log`), `${step} ${process.pid}\n`)
    return `${step} of ${name}`
  }
  const first = await call.step('first', () => logStep('first'))
  const second = await call.step('second', () => logStep('second'))
  logStep('waits')
  while (!existsSync(join(folder, `${name}.go`))) {
    call.signal.throwIfAborted()
    await sleep(20)
  }
  const third = await call.step('third', () => logStep('third'))
  return [first, second, third].join(', ')
})

const { url: ownUrl } = await serve(server, { port: 0 })
process.send?.({ url: ownUrl })
