/** Clocks that are wrong, differ between processes, or jump while tasks run: nothing is lost or runs twice, and all processes stay in service. */
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { LIBFAKETIME } from './support/clock.ts'
import { type WorkingNode, type WorkingService, withService } from './support/working-service.ts'

const HOUR = 3600
const MINUTE_MS = 60_000

const folder = temporaryFolder(afterAll)
const { redis, postgres } = await startDatabases({ args: ['-c', 'fsync=off'] })
const BACKENDS: Record<string, string | undefined> = {
  memory: '',
  sqlite: '',
  redis: redis?.url,
  'redis with BullMQ': redis?.url,
  postgres: postgres?.url,
  'postgres with pg-boss': postgres?.url,
}
const available = Object.entries(BACKENDS).flatMap(([backend, url]) => (url === undefined ? [] : [{ backend, url }]))

const readinessOf = (nodes: readonly WorkingNode[]): Promise<number[]> => Promise.all(nodes.map((node) => node.readiness()))

/** Checks that the clock of a process is ahead by about so much: that the trouble is real. */
async function expectAhead(node: WorkingNode, seconds: number): Promise<void> {
  expect(Math.abs((await node.now()) - Date.now() - seconds * 1000)).toBeLessThan(MINUTE_MS)
}

/** The clock jumps while a handler waits. It goes on, and a task that starts after the jump runs too. */
async function expectJumpSurvived(service: WorkingService, from: number, to: number): Promise<void> {
  const { start, startWork, resultOf, work, effects, goOn, result } = service
  const node = await start({ offsetSeconds: from })
  await expectAhead(node, from)
  const taskId = await startWork(node, { waits: true })
  await eventually(() => expect(effects()).toEqual(['start']))
  node.setClock(to)
  await expectAhead(node, to)
  expect(await node.readiness()).toBe(200)
  // Longer than the lease: it is renewed after the jump.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  expect(effects()).toEqual(['start'])
  goOn()
  expect(await resultOf(node, taskId)).toEqual(result)
  expect(effects()).toEqual(['start', 'effect', 'end'])
  expect(await work(node, {})).toEqual(result)
  expect(await node.readiness()).toBe(200)
}

/** Two processes differ by an hour. A task that starts at either is finished once, and its result can be read at both. */
async function expectSkewSurvived(service: WorkingService): Promise<void> {
  const { start, startWork, resultOf, effects, goOn, result } = service
  const nodes = [await start({ offsetSeconds: 0 }), await start({ offsetSeconds: HOUR })]
  await expectAhead(nodes[1] as WorkingNode, HOUR)
  goOn()
  for (const [at, node] of nodes.entries()) {
    const taskId = await startWork(node, { waits: true })
    expect(await resultOf(nodes[1 - at] as WorkingNode, taskId)).toEqual(result)
    expect(await resultOf(node, taskId)).toEqual(result)
  }
  expect(effects()).toEqual(['start', 'effect', 'end', 'start', 'effect', 'end'])
  expect(await readinessOf(nodes)).toEqual([200, 200])
}

/** A process that is an hour ahead fails. One with the right clock continues its task. */
async function expectFailureAheadSurvived(service: WorkingService): Promise<void> {
  const { start, startWork, resultOf, effects, goOn, result } = service
  const ahead = await start({ offsetSeconds: HOUR })
  const taskId = await startWork(ahead, { waits: true })
  await eventually(() => expect(effects()).toEqual(['start']))
  ahead.process.kill('SIGKILL')
  goOn()
  const right = await start({ offsetSeconds: 0 })
  expect(await resultOf(right, taskId)).toEqual(result)
  expect(effects()).toEqual(['start', 'start', 'effect', 'end'])
  expect(await right.readiness()).toBe(200)
}

const TIMEOUT_MS = 120_000

describe.skipIf(!LIBFAKETIME)('with libfaketime', () => {
  describe.concurrent.each(available)('$backend', ({ backend, url }) => {
    const options = { backend, url, folder }
    const isShared = backend !== 'memory'
    // The processes that use a file of SQLite are on one machine, and have one clock.
    const hasClocks = isShared && backend !== 'sqlite'

    test.each([
      ['forward', 0, HOUR],
      ['back', 0, -HOUR],
      ['back to the right time', HOUR, 0],
    ])('the clock jumps %s by an hour: the task goes on', { timeout: TIMEOUT_MS }, async (_, from, to) => {
      await withService(options, (service) => expectJumpSurvived(service, from, to))
    })

    test.runIf(hasClocks)('the clocks of two processes differ by an hour', { timeout: TIMEOUT_MS }, async () => {
      await withService(options, expectSkewSurvived)
    })

    test.runIf(isShared)(
      'a process whose clock is ahead fails: another one continues its task',
      { timeout: TIMEOUT_MS },
      async () => {
        await withService(options, expectFailureAheadSurvived)
      },
    )
  })
})
