/** Databases that are full, or delete what they hold: health says what is true, and nothing that was acknowledged is lost. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { commandRedis } from '../stores/support/administer.ts'
import { type OpenStores, POSTGRES_DRIVERS, REDIS_DRIVERS } from '../stores/support/drivers.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { findProgram } from '../support/services/programs.mjs'
import { startRedis } from '../support/services/redis.mjs'
import { hasDisks } from '../support/services/service.mjs'
import { openService, randomText, type TaskService } from './support/task-service.ts'

let created = 0
const namespace = (): string => `full_${process.pid}_${created++}`

const DONE = [{ type: 'text', text: 'done' }]
const TIMEOUT_MS = 120_000
/** More than the pages that a database has in reserve. */
const LARGE = 60_000

interface Trouble {
  begin(): unknown
  end(): unknown
  /** The message of the database. */
  readonly reason: RegExp
}

/** The database becomes full, and has space again later. */
async function expectFullSurvived(service: TaskService, trouble: Trouble): Promise<void> {
  const { stores, ready, work, startWork, resultOf, runs } = service
  await stores.store.set('key', 'value')
  const taskId = await startWork()
  expect(await resultOf(taskId)).toEqual(DONE)
  expect(await ready()).toBe(200)
  await trouble.begin()
  const refusal = { code: 'STORE_UNAVAILABLE', message: expect.stringMatching(trouble.reason) }
  await eventually(() => expect(stores.store.set('large', randomText(LARGE))).rejects.toMatchObject(refusal))
  await expect(stores.log.append('log', randomText(LARGE))).rejects.toMatchObject(refusal)
  // Small writes may succeed still. Whoever asks is told all the same that the database is full, and goes on being told so.
  await eventually(async () => expect(await ready()).toBe(503), { intervalMs: 100 })
  for (let asked = 0; asked < 3; asked++) {
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(await ready()).toBe(503)
  }
  // The user is told to try again, and nothing has run; what was acknowledged can be read.
  const before = runs()
  const unavailable = expect.stringContaining('The store is unavailable; try again later')
  await expect(work(LARGE)).rejects.toMatchObject({ code: -32603, message: unavailable })
  expect(runs()).toBe(before)
  expect(await resultOf(taskId)).toEqual(DONE)
  expect(await stores.store.get('key')).toBe('value')
  await trouble.end()
  await eventually(async () => expect(await ready()).toBe(200), { intervalMs: 100 })
  expect(await work(LARGE)).toEqual(DONE)
  expect(await stores.store.get('key')).toBe('value')
}

describe.skipIf(!hasDisks || !findProgram('initdb')).each(Object.entries(POSTGRES_DRIVERS))('postgres with %s', (_, open) => {
  test('the disk is full, and has space again', { timeout: TIMEOUT_MS }, async () => {
    const database = await startPostgres({ diskMb: 200 })
    onTestFinished(async () => void (await database?.stop()))
    await expectFullSurvived(await openService(open(database?.url ?? '', { namespace: namespace() })), {
      begin: () => database?.fillDisk(),
      end: () => database?.freeDisk(),
      reason: /No space left/,
    })
  })
})

describe.skipIf(!findProgram('redis-server')).each(Object.entries(REDIS_DRIVERS))('redis with %s', (_, open: OpenStores) => {
  test.skipIf(!hasDisks)('the disk is full, and has space again', { timeout: TIMEOUT_MS }, async () => {
    const database = await startRedis({ args: ['--appendfsync', 'everysec'], diskMb: 8 })
    onTestFinished(async () => void (await database?.stop()))
    await expectFullSurvived(await openService(open(database?.url ?? '', { namespace: namespace() })), {
      begin: () => database?.fillDisk(),
      end: () => database?.freeDisk(),
      reason: /MISCONF/,
    })
  })

  test('the memory is full, with noeviction, and has space again', { timeout: TIMEOUT_MS }, async () => {
    const database = await startRedis()
    onTestFinished(async () => void (await database?.stop()))
    const url = database?.url ?? ''
    await expectFullSurvived(await openService(open(url, { namespace: namespace() })), {
      begin: () => commandRedis(url, 'CONFIG', 'SET', 'maxmemory', '1'),
      end: () => commandRedis(url, 'CONFIG', 'SET', 'maxmemory', '0'),
      reason: /OOM/,
    })
  })

  test('the memory is full, and entries are evicted', { timeout: TIMEOUT_MS }, async () => {
    const database = await startRedis({ args: ['--maxmemory', '4mb', '--maxmemory-policy', 'allkeys-lru'] })
    onTestFinished(async () => void (await database?.stop()))
    const url = database?.url ?? ''
    const warnings: string[] = []
    const onWarning = (message: string): void => void warnings.push(message)
    const { ready, work, startWork, resultOf } = await openService(open(url, { namespace: namespace(), onWarning }))
    const taskId = await startWork()
    expect(await resultOf(taskId)).toEqual(DONE)
    await eventually(() => expect(warnings).toEqual([expect.stringMatching(/maxmemory-policy allkeys-lru.*noeviction/)]))
    // Another program fills the memory.
    for (let at = 0; at < 150; at++) await commandRedis(url, 'SET', `other ${at}`, randomText(LARGE))
    const stats = String(await commandRedis(url, 'INFO', 'stats'))
    expect(Number(/evicted_keys:(\d+)/.exec(stats)?.[1])).toBeGreaterThan(0)
    // The store can be read and written: the process stays in service. What was evicted is gone, and the client learns it at once.
    expect(await ready()).toBe(200)
    const gone = { code: -32602, message: expect.stringContaining('does not exist or has expired') }
    await expect(resultOf(taskId)).rejects.toMatchObject(gone)
    expect(await work()).toEqual(DONE)
    expect(await ready()).toBe(200)
  })
})
