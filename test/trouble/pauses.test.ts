/** Processes that pause for longer than the leases of their tasks, and come back: nothing has failed. */
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

const PROGRAM = fileURLToPath(new URL('support/paused-process.mjs', import.meta.url))
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

interface Node {
  readonly url: string
  readonly process: ChildProcess
  /** The warnings and errors that the server reported. */
  readonly reports: string[]
}

/** Starts another process of the service. */
type Start = () => Promise<Node>

let created = 0

/** Runs a test with a service whose processes share one namespace. Its name is unique. */
async function withService(backend: string, body: (start: Start, name: string) => Promise<void>): Promise<void> {
  const name = `pauses_${process.pid}_${created++}`
  const children: ChildProcess[] = []
  const start: Start = async () => {
    const url = BACKENDS[backend] || join(folder, `${name}.db`)
    const child = fork(PROGRAM, [backend, url, name, folder], { stdio: 'inherit' })
    children.push(child)
    const [{ url: ownUrl }] = (await once(child, 'message')) as [{ url: string }]
    const reports: string[] = []
    child.on('message', ({ report }: { report: string }) => void reports.push(report))
    return { url: ownUrl, process: child, reports }
  }
  try {
    await body(start, name)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

/** Returns what the runs of a task have done, in order, each with the id of its process. */
function linesOf(name: string): string[] {
  const file = join(folder, `${name}.log`)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

const effectsOf = (name: string): string[] => linesOf(name).map((line) => line.replace(/ .*/, ''))

interface WorkArguments {
  readonly name: string
  /** For how long the handler blocks the event loop. */
  readonly blockMs?: number
  /** Whether the handler waits for a file. */
  readonly waits?: boolean
}

/** Runs the tool as a task and waits for its result. */
async function work({ url }: Node, args: WorkArguments): Promise<unknown> {
  const client = await connect(url, { extensions: [tasks()] })
  const { content } = await client.callTool('work', { ...args }).finally(() => client.close())
  return content
}

async function startWork({ url }: Node, args: WorkArguments): Promise<string> {
  const client = await connect(url, { extensions: [tasks()] })
  const started = await client.tasks.start('work', { ...args }).finally(() => client.close())
  if (!('taskId' in started)) throw new Error('The call did not become a task')
  return started.taskId
}

async function resultOf({ url }: Node, taskId: string): Promise<unknown> {
  const client = await connect(url, { extensions: [tasks()] })
  const task = client.tasks.open(taskId)
  const { content } = await task.result().finally(() => client.close())
  return content
}

const backends = Object.keys(BACKENDS).filter((backend) => BACKENDS[backend] !== undefined)

describe.concurrent.each(backends)('%s', (backend) => {
  test('a handler blocks the event loop for longer than its lease: it runs once, to its end', () =>
    withService(backend, async (start, name) => {
      const node = await start()
      const content = await work(node, { name, blockMs: PAUSE_MS })
      expect(content).toEqual([{ type: 'text', text: `effect of ${name}` }])
      expect(effectsOf(name)).toEqual(['start', 'effect', 'end'])
      await eventually(() => expect(node.reports).toContainEqual(expect.stringMatching(BLOCKED)))
    }))

  test('the process is suspended for longer than the lease: the handler goes on', () =>
    withService(backend, async (start, name) => {
      const node = await start()
      const working = work(node, { name, waits: true })
      await eventually(() => expect(effectsOf(name)).toEqual(['start']))
      node.process.kill('SIGSTOP')
      await sleep(PAUSE_MS)
      node.process.kill('SIGCONT')
      writeFileSync(join(folder, `${name}.go`), '')
      expect(await working).toEqual([{ type: 'text', text: `effect of ${name}` }])
      expect(effectsOf(name)).toEqual(['start', 'effect', 'end'])
    }))

  const isShared = backend !== 'memory'
  test.runIf(isShared)(
    'another process takes over from one that is suspended: the first one stops, and nothing fails',
    async () => {
      await withService(backend, async (start, name) => {
        const nodes = [await start(), await start()]
        const taskId = await startWork(nodes[0] as Node, { name, waits: true })
        await eventually(() => expect(effectsOf(name)).toEqual(['start']))
        const suspended = nodes.find((node) => linesOf(name)[0] === `start ${node.process.pid}`) as Node
        const other = nodes.find((node) => node !== suspended) as Node
        suspended.process.kill('SIGSTOP')
        await eventually(() => expect(effectsOf(name)).toEqual(['start', 'start']))
        writeFileSync(join(folder, `${name}.go`), '')
        expect(await resultOf(other, taskId)).toEqual([{ type: 'text', text: `effect of ${name}` }])
        suspended.process.kill('SIGCONT')
        await eventually(() => expect(linesOf(name).at(-1)).toBe(`lost ${suspended.process.pid}`))
        expect(effectsOf(name)).toEqual(['start', 'start', 'effect', 'end', 'lost'])
        expect(suspended.reports).toContainEqual(expect.stringMatching(LOST))
      })
    },
    120_000,
  )

  test.runIf(isShared)(
    'a handler that blocks in each process ends, because its lease becomes longer',
    async () => {
      await withService(backend, async (start, name) => {
        const [node] = await Promise.all([start(), start()])
        expect(await work(node, { name, blockMs: PAUSE_MS })).toEqual([{ type: 'text', text: `effect of ${name}` }])
        expect(effectsOf(name).filter((line) => line === 'effect').length).toBe(1)
      })
    },
    120_000,
  )
})
