import { Queue, Worker } from 'bullmq'
import PgBoss from 'pg-boss'
import { bullmq } from 'portcall/tasks/bullmq'
import { pgBoss } from 'portcall/tasks/pg-boss'
import type { OpenQueue } from 'portcall/testing'
import { EVENTUALLY_TIMEOUT_MS } from '../../../packages/portcall/test-kit/eventually.ts'

/** Locks are so long that a slow process does not lose its jobs: no process fails in these tests. */
const HOUR_MS = 3_600_000

/** Opens instances of one queue. */
export interface QueueOpener {
  readonly open: OpenQueue
  close(): Promise<void>
}

export function openBullMQ(url: string, queueName: string): QueueOpener {
  const open = () =>
    bullmq({ Queue, Worker, connection: { url }, queueName, lockTtlMs: HOUR_MS, timeoutMs: EVENTUALLY_TIMEOUT_MS })
  return { open, close: async () => {} }
}

/** Starts a pg-boss instance. A process needs only one; here, each test has its own. */
export async function openPgBoss(url: string, queueName: string): Promise<QueueOpener> {
  const boss = new PgBoss({ connectionString: url, maintenanceIntervalSeconds: 1, max: 4 })
  boss.on('error', () => {})
  await boss.start()
  const open = () =>
    pgBoss(boss, { queueName, pollIntervalMs: 100, visibilityTimeoutMs: HOUR_MS, timeoutMs: EVENTUALLY_TIMEOUT_MS })
  return { open, close: () => boss.stop({ graceful: false }) }
}
