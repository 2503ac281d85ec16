/**
 * One process of a service with tasks: `node node.mjs WAY URL PLACE FOLDER`. Sends its URL when it listens. What its tool does is a line in
 * `FOLDER/TASK.log`, with the id of the process.
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
import { postgres } from 'portcall/stores/postgres'
import { redis } from 'portcall/stores/redis'
import { sqlite } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'
import { bullmq } from 'portcall/tasks/bullmq'
import { pgBoss } from 'portcall/tasks/pg-boss'

const [way, url, place, folder] = process.argv.slice(2)
const LEASE_MS = 5000

async function startBoss() {
  const boss = new PgBoss({ connectionString: url, schema: `${place}_boss`, maintenanceIntervalSeconds: 1, max: 3 })
  boss.on('error', () => {})
  return await boss.start()
}

const STORES = {
  sqlite: () => sqlite(url),
  redis: () => redis(new Redis(url, { lazyConnect: true }), { prefix: `{${place}}:` }),
  postgres: () => postgres(new pg.Pool({ connectionString: url }), { schema: place }),
}
const ENGINES = {
  BullMQ: () => bullmq({ Queue, Worker, connection: { url }, queue: place, lockMs: LEASE_MS }),
  'pg-boss': async () => pgBoss(await startBoss(), { queue: place, pollMs: 200, expireSeconds: 1 }),
}
const [kind, engineName] = way.split(' with ')
const { store, bus } = STORES[kind]()
const engine = await ENGINES[engineName]?.()
const limits = { leaseMs: LEASE_MS, maxAttempts: 100 }
const extensions = [tasks({ store, bus, limits, ...(engine && { engine }) })]

const server = createServer({ name: 'tasks', version: '1.0.0' }, { extensions, onEvent: () => {} })
const text = { type: 'string' }
server.tool('work', { task: 'required', input: { type: 'object', properties: { name: text } } }, async ({ name }, call) => {
  const note = (step) => {
    appendFileSync(join(folder, `${name}.log`), `${step} ${process.pid}\n`)
    return `${step} of ${name}`
  }
  const first = await call.step('first', () => note('first'))
  const second = await call.step('second', () => note('second'))
  note('waits')
  while (!existsSync(join(folder, `${name}.go`))) {
    call.signal.throwIfAborted()
    await sleep(20)
  }
  const third = await call.step('third', () => note('third'))
  return [first, second, third].join(', ')
})

const { url: own } = await serve(server, { port: 0 })
process.send?.({ url: own })
