/** The stores and queues of a process with tasks, by the name of the backend: `redis`, or `redis with BullMQ`. */
import { Queue, Worker } from 'bullmq'
import * as ioredis from 'ioredis'
import pg from 'pg'
import PgBoss from 'pg-boss'
import { memoryStores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import { sqliteStores } from 'portcall/stores/sqlite'
import { bullmq } from 'portcall/tasks/bullmq'
import { pgBoss } from 'portcall/tasks/pg-boss'
import { createRedisClient, redisConnection } from '../../support/services/redis-client.mjs'

const STORES = {
  memory: () => memoryStores(),
  sqlite: ({ url }) => sqliteStores(url),
  redis: ({ url, namespace }) => redisStores(createRedisClient(ioredis, url), { prefix: `{${namespace}}:` }),
  postgres: ({ url, namespace }) => postgresStores(new pg.Pool({ connectionString: url }), { schema: namespace }),
}
const QUEUES = {
  BullMQ: ({ url, namespace, lockTtlMs }) => {
    const connection = redisConnection(ioredis.Cluster, url)
    return bullmq({ Queue, Worker, connection, prefix: '{bull}', queueName: namespace, lockTtlMs })
  },
  'pg-boss': async ({ url, namespace }) => {
    const boss = new PgBoss({ connectionString: url, schema: `${namespace}_boss`, maintenanceIntervalSeconds: 1, max: 3 })
    boss.on('error', () => {})
    return pgBoss(await boss.start(), { queueName: namespace, pollIntervalMs: 200, visibilityTimeoutMs: 1000 })
  },
}

/**
 * Opens the stores and the queue of a backend. `url` is that of the database server, or the file of SQLite. Processes share what they store
 * in a namespace.
 *
 * @param {string} backend
 * @param {{ url: string, namespace: string, lockTtlMs: number }} options
 */
export async function openBackend(backend, options) {
  const [kind, queueType] = backend.split(' with ')
  const queue = await QUEUES[queueType]?.(options)
  return { ...STORES[kind](options), ...(queue && { queue }) }
}
