/** Tasks on every store and every queue, in processes that are killed, on database servers that are restarted. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('support/task-process.mjs', import.meta.url))

const folder = temporaryFolder(afterAll)
const { redis: redisServer, postgres: postgresServer } = await startDatabases()

let created = 0

/** A test with the processes of a service. The name is unique. */
type Body = (start: () => Promise<Node>, name: string) => Promise<void>

/** Runs a test with a service whose processes share one namespace. */
async function withService(backend: string, { url }: Server, body: Body): Promise<void> {
  const namespace = `tasks_${process.pid}_${created++}`
  const children: ChildProcess[] = []
  const start = async (): Promise<Node> => {
    const child = fork(PROGRAM, [backend, url || join(folder, `${namespace}.db`), namespace, folder], { stdio: 'inherit' })
    children.push(child)
    const [message] = (await once(child, 'message')) as [{ url: string }]
    return { url: message.url, pid: child.pid ?? 0, kill: () => void child.kill('SIGKILL') }
  }
  try {
    await body(start, namespace)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

interface Node {
  readonly url: string
  readonly pid: number
  kill(): void
}

/** Returns the steps of a task, each with the id of the process that ran it. */
function linesOf(name: string): string[][] {
  const file = join(folder, `${name}.log`)
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
    : []
}
const waitingStep = (name: string): string[] | undefined => linesOf(name).findLast(([step]) => step === 'waits')
const resumeTask = (name: string): void => writeFileSync(join(folder, `${name}.go`), '')
const stepsOf = (name: string): (string | undefined)[] =>
  linesOf(name)
    .map(([step]) => step)
    .filter((step) => step !== 'waits')

async function startTask(node: Node, name: string): Promise<string> {
  const client = await connect(node.url, { extensions: [tasks()] })
  const started = await client.tasks.start('work', { name })
  await client.close()
  if (!('taskId' in started)) throw new Error('The call did not become a task')
  await eventually(() => expect(waitingStep(name)).toBeDefined())
  return started.taskId
}

async function expectResult(node: Node, taskId: string, name: string): Promise<void> {
  const client = await connect(node.url, { extensions: [tasks()] })
  const { content } = await client.tasks.open(taskId).result()
  expect(content).toEqual([{ type: 'text', text: `first of ${name}, second of ${name}, third of ${name}` }])
  expect(stepsOf(name)).toEqual(['first', 'second', 'third'])
  await client.close()
}

interface Server {
  readonly url: string
}

const FILE: Server = { url: '' }
const BACKENDS: Record<string, Server | undefined> = {
  sqlite: FILE,
  redis: redisServer,
  'redis with BullMQ': redisServer,
  postgres: postgresServer,
  'postgres with pg-boss': postgresServer,
}

describe.concurrent.each(Object.entries(BACKENDS))('%s', (backend, server = FILE) => {
  test.skipIf(!BACKENDS[backend])(
    'a process is killed while it runs a task: another one continues it and repeats no step',
    () =>
      withService(backend, server, async (start, name) => {
        const nodes = await Promise.all([start(), start()])
        const taskId = await startTask(nodes[0], name)
        const killed = nodes.find(({ pid }) => String(pid) === waitingStep(name)?.[1])
        const successor = nodes.find((node) => node !== killed)
        killed?.kill()
        resumeTask(name)
        await eventually(() => expect(linesOf(name).at(-1)).toEqual(['third', String(successor?.pid)]))
        await expectResult(successor ?? nodes[0], taskId, name)
      }),
    120_000,
  )

  test.skipIf(!BACKENDS[backend])(
    'all processes are killed: the next one that starts continues the task',
    () =>
      withService(backend, server, async (start, name) => {
        const first = await start()
        const taskId = await startTask(first, name)
        first.kill()
        resumeTask(name)
        const next = await start()
        await eventually(() => expect(linesOf(name).at(-1)).toEqual(['third', String(next.pid)]))
        await expectResult(next, taskId, name)
      }),
    120_000,
  )
})

for (const [kind, server] of Object.entries({ redis: redisServer, postgres: postgresServer })) {
  describe.skipIf(!server).each(Object.keys(BACKENDS).filter((backend) => backend.startsWith(kind)))('%s', (backend) => {
    if (!server) return

    test('the database server is restarted while a task is running: the task completes', async () => {
      await withService(backend, server, async (start, name) => {
        const node = await start()
        const taskId = await startTask(node, name)
        await server.restart()
        resumeTask(name)
        await eventually(() => expectResult(node, taskId, name))
      })
    }, 120_000)

    test('the database server is down for longer than the lease TTL: the task completes', async () => {
      await withService(backend, server, async (start, name) => {
        const node = await start()
        const taskId = await startTask(node, name)
        await server.kill()
        await sleep(7000)
        await server.start()
        resumeTask(name)
        await eventually(() => expectResult(node, taskId, name))
      })
    }, 120_000)
  })
}
