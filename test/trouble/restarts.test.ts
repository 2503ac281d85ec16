/** All processes of a service are killed while a task runs, and start again: the next one continues the task. */
import { connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type WorkingNode, type WorkingService, withService } from './support/working-service.ts'

const folder = temporaryFolder(afterAll)
const { redis, postgres } = await startDatabases({ args: ['-c', 'fsync=off'] })
/** The URL of each backend; `undefined` where its server is not installed. */
const BACKENDS: Record<string, string | undefined> = {
  sqlite: '',
  redis: redis?.url,
  'redis with BullMQ': redis?.url,
  postgres: postgres?.url,
  'postgres with pg-boss': postgres?.url,
}
const available = Object.entries(BACKENDS).flatMap(([backend, url]) => (url === undefined ? [] : [{ backend, url }]))

const readinessOf = (nodes: readonly WorkingNode[]): Promise<number[]> => Promise.all(nodes.map((node) => node.readiness()))

/** A client asks while nobody is there, and gets an error that says that it may ask again. */
async function expectUnreachable({ url }: WorkingNode, taskId: string): Promise<void> {
  const refusal = await connect(url, { extensions: [tasks()] })
    .then((client) => client.tasks.open(taskId).get())
    .catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
}

async function expectContinued({ start, startWork, work, resultOf, effects, goOn, result }: WorkingService): Promise<void> {
  const nodes = [await start(), await start()] as const
  const taskId = await startWork(nodes[0], { waits: true })
  // Another client waits for the result of its call.
  const waiting = work(nodes[0], { waits: true })
  waiting.catch(() => {})
  await eventually(() => expect(effects()).toEqual(['start', 'start']))
  expect(await readinessOf(nodes)).toEqual([200, 200])
  for (const node of nodes) node.process.kill('SIGKILL')
  for (const node of nodes) await eventually(() => expect(node.readiness()).rejects.toThrow('fetch failed'))
  await expectUnreachable(nodes[0], taskId)
  goOn()
  const next = [await start({ port: Number(new URL(nodes[0].url).port) }), await start()] as const
  // A process is ready as soon as it listens: what the killed ones have left is no reason to wait.
  expect(await readinessOf(next)).toEqual([200, 200])
  for (const node of next) expect(await resultOf(node, taskId)).toEqual(result)
  expect(await waiting).toEqual(result)
  expect(effects().sort()).toEqual(['effect', 'effect', 'end', 'end', 'start', 'start', 'start', 'start'])
  expect(await readinessOf(next)).toEqual([200, 200])
}

describe.concurrent.each(available)('$backend', ({ backend, url }) => {
  test('all processes are killed and restarted: the task goes on, and all are ready', { timeout: 120_000 }, async () => {
    await withService({ backend, url, folder }, expectContinued)
  })
})
