/** Processes that pause for longer than the leases of their tasks, and come back: nothing has failed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type WorkingNode, type WorkingService, withService } from './support/working-service.ts'

/** Three times the TTL of leases in the processes. */
const PAUSE_MS = 3000
const LOST = /This process has lost its lease: another process has taken over the task, because its event loop was blocked/
const BLOCKED =
  /^A process that runs tasks \("work"\) could not renew its leases: its event loop was blocked, or the process was suspended, for \d/

const folder = temporaryFolder(afterAll)
const { redis, postgres } = await startDatabases({ args: ['-c', 'fsync=off'] })
/** The URL of each backend; `undefined` where its server is not installed. */
const BACKENDS: Record<string, string | undefined> = {
  memory: '',
  sqlite: '',
  redis: redis?.url,
  'redis with BullMQ': redis?.url,
  postgres: postgres?.url,
  'postgres with pg-boss': postgres?.url,
}
const available = Object.entries(BACKENDS).flatMap(([backend, url]) => (url === undefined ? [] : [{ backend, url }]))

async function expectBlockSurvived({ start, work, effects, result }: WorkingService): Promise<void> {
  const node = await start()
  expect(await work(node, { blockMs: PAUSE_MS })).toEqual(result)
  expect(effects()).toEqual(['start', 'effect', 'end'])
  expect(await node.readiness()).toBe(200)
  await eventually(() => expect(node.reports).toContainEqual(expect.stringMatching(BLOCKED)))
}

async function expectSuspensionSurvived({ start, work, effects, goOn, result }: WorkingService): Promise<void> {
  const node = await start()
  const working = work(node, { waits: true })
  await eventually(() => expect(effects()).toEqual(['start']))
  node.process.kill('SIGSTOP')
  await sleep(PAUSE_MS)
  node.process.kill('SIGCONT')
  goOn()
  expect(await working).toEqual(result)
  expect(effects()).toEqual(['start', 'effect', 'end'])
  expect(await node.readiness()).toBe(200)
}

async function expectTakenOver({ start, startWork, resultOf, effects, lines, goOn, result }: WorkingService): Promise<void> {
  const nodes: [WorkingNode, WorkingNode] = [await start(), await start()]
  const taskId = await startWork(nodes[0], { waits: true })
  await eventually(() => expect(effects()).toEqual(['start']))
  const suspendedAt = lines()[0] === `start ${nodes[0].process.pid}` ? 0 : 1
  const [suspended, other] = suspendedAt === 0 ? nodes : [nodes[1], nodes[0]]
  suspended.process.kill('SIGSTOP')
  // The suspended process answers nobody, so a load balancer takes it out of service. The other one is not affected.
  await expect(fetch(new URL('/readyz', suspended.url), { signal: AbortSignal.timeout(500) })).rejects.toThrow('timeout')
  expect(await other.readiness()).toBe(200)
  await eventually(() => expect(effects()).toEqual(['start', 'start']))
  goOn()
  expect(await resultOf(other, taskId)).toEqual(result)
  suspended.process.kill('SIGCONT')
  await eventually(() => expect(lines().at(-1)).toBe(`lost ${suspended.process.pid}`))
  expect(effects()).toEqual(['start', 'start', 'effect', 'end', 'lost'])
  await eventually(() => expect(suspended.reports).toContainEqual(expect.stringMatching(LOST)))
  expect([await suspended.readiness(), await other.readiness()]).toEqual([200, 200])
}

async function expectBlocksOutlasted({ start, work, effects, result }: WorkingService): Promise<void> {
  const [node, other] = await Promise.all([start(), start()])
  expect(await work(node, { blockMs: PAUSE_MS })).toEqual(result)
  expect(effects().filter((line) => line === 'effect').length).toBe(1)
  // One of them may block still: its answer is late, and says that it is well.
  expect([await node.readiness(), await other.readiness()]).toEqual([200, 200])
}

const TIMEOUT_MS = 120_000

describe.concurrent.each(available)('$backend', ({ backend, url }) => {
  const options = { backend, url, folder }
  const isShared = backend !== 'memory'

  test('a handler blocks the event loop for longer than its lease: it runs once, to its end', async () => {
    await withService(options, expectBlockSurvived)
  })

  test('the process is suspended for longer than the lease: the handler goes on', async () => {
    await withService(options, expectSuspensionSurvived)
  })

  test.runIf(isShared)(
    'another process takes over from one that is suspended: the first one stops, and nothing fails',
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      await withService(options, expectTakenOver)
    },
  )

  test.runIf(isShared)(
    'a handler that blocks in each process ends, because its lease becomes longer',
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      await withService(options, expectBlocksOutlasted)
    },
  )
})
