import { Queue, Worker } from 'bullmq'
import PgBoss from 'pg-boss'
import { bullmq } from 'portcall/tasks/bullmq'
import { pgBoss } from 'portcall/tasks/pg-boss'
import type { OpenEngine } from 'portcall/testing'
import { PATIENCE_MS } from '../../../packages/portcall/test-kit/eventually.ts'

/** Nobody dies here: whoever only stands still keeps what it works on. */
const HOUR_MS = 3_600_000

/** Opens engines on one queue. */
export interface Engines {
  readonly open: OpenEngine
  close(): Promise<void>
}

export function openBullMQ(url: string, queue: string): Engines {
  const open = () => bullmq({ Queue, Worker, connection: { url }, queue, lockMs: HOUR_MS, timeoutMs: PATIENCE_MS })
  return { open, close: async () => {} }
}

/** One pg-boss for each process; here for each test. */
export async function openPgBoss(url: string, queue: string): Promise<Engines> {
  const boss = new PgBoss({ connectionString: url, maintenanceIntervalSeconds: 1, max: 4 })
  boss.on('error', () => {})
  await boss.start()
  const open = () => pgBoss(boss, { queue, pollMs: 100, expireSeconds: HOUR_MS / 1000, timeoutMs: PATIENCE_MS })
  return { open, close: () => boss.stop({ graceful: false }) }
}
