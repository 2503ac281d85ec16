/** Tasks over every store and every engine, in processes that are killed, on servers that are started again. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startPostgres } from '../support/services/postgres.mjs'
import { startRedis } from '../support/services/redis.mjs'

const NODE = fileURLToPath(new URL('support/node.mjs', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'portcall-tasks-'))
const redisServer = await startRedis()
const postgresServer = await startPostgres()
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await redisServer?.stop()
  await postgresServer?.stop()
})

let made = 0

/** What a test does with the processes of a service; the name is its own. */
type Body = (start: () => Promise<Node>, name: string) => Promise<void>

/** Runs processes of a service on one place. */
async function service(way: string, { url }: Server, body: Body): Promise<void> {
  const place = `tasks_${process.pid}_${made++}`
  const children: ChildProcess[] = []
  const start = async (): Promise<Node> => {
    const child = fork(NODE, [way, url || join(folder, `${place}.db`), place, folder], { stdio: 'inherit' })
    children.push(child)
    const [message] = (await once(child, 'message')) as [{ url: string }]
    return { url: message.url, pid: child.pid ?? 0, kill: () => void child.kill('SIGKILL') }
  }
  try {
    await body(start, place)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

interface Node {
  readonly url: string
  readonly pid: number
  kill(): void
}

/** What happened to a task: each step with the process that did it. */
function linesOf(name: string): string[][] {
  const file = join(folder, `${name}.log`)
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
    : []
}
const waits = (name: string): string[] | undefined => linesOf(name).findLast(([step]) => step === 'waits')
const letGo = (name: string): void => writeFileSync(join(folder, `${name}.go`), '')
const stepsOf = (name: string): (string | undefined)[] =>
  linesOf(name)
    .map(([step]) => step)
    .filter((step) => step !== 'waits')

async function begin(node: Node, name: string): Promise<string> {
  const client = await connect(node.url, { extensions: [tasks()] })
  const begun = await client.tasks.start('work', { name })
  await client.close()
  if (!('taskId' in begun)) throw new Error('it did not become a task')
  await eventually(() => expect(waits(name)).toBeDefined())
  return begun.taskId
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
const WAYS: Record<string, Server | undefined> = {
  sqlite: FILE,
  redis: redisServer,
  'redis with BullMQ': redisServer,
  postgres: postgresServer,
  'postgres with pg-boss': postgresServer,
}

describe.concurrent.each(Object.entries(WAYS))('%s', (way, server = FILE) => {
  test.skipIf(!WAYS[way])(
    'a process is killed while it works: another one goes on, by itself, and does no step again',
    () =>
      service(way, server, async (start, name) => {
        const nodes = await Promise.all([start(), start()])
        const taskId = await begin(nodes[0], name)
        const dead = nodes.find(({ pid }) => String(pid) === waits(name)?.[1])
        const heir = nodes.find((node) => node !== dead)
        dead?.kill()
        letGo(name)
        await eventually(() => expect(linesOf(name).at(-1)).toEqual(['third', String(heir?.pid)]))
        await expectResult(heir ?? nodes[0], taskId, name)
      }),
    120_000,
  )

  test.skipIf(!WAYS[way])(
    'all processes are killed: the next one that starts goes on',
    () =>
      service(way, server, async (start, name) => {
        const first = await start()
        const taskId = await begin(first, name)
        first.kill()
        letGo(name)
        const next = await start()
        await eventually(() => expect(linesOf(name).at(-1)).toEqual(['third', String(next.pid)]))
        await expectResult(next, taskId, name)
      }),
    120_000,
  )
})

for (const [kind, server] of Object.entries({ redis: redisServer, postgres: postgresServer })) {
  describe.skipIf(!server).each(Object.keys(WAYS).filter((way) => way.startsWith(kind)))('%s', (way) => {
    if (!server) return

    test('its server is started again while a task runs: it comes to its end', async () => {
      await service(way, server, async (start, name) => {
        const node = await start()
        const taskId = await begin(node, name)
        await server.restart()
        letGo(name)
        await eventually(() => expectResult(node, taskId, name))
      })
    }, 120_000)

    test('its server is away for longer than a lease: the task comes to its end', async () => {
      await service(way, server, async (start, name) => {
        const node = await start()
        const taskId = await begin(node, name)
        await server.kill()
        await sleep(7000)
        await server.start()
        letGo(name)
        await eventually(() => expectResult(node, taskId, name))
      })
    }, 120_000)
  })
}
