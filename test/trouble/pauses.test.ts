/** Processes that pause for longer than the leases of their tasks, and come back: nothing has failed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'
import { afterAll, describe, expect, test } from 'vitest'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('support/paused-process.mjs', import.meta.url))
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
    return { url: ownUrl, process: child }
  }
  try {
    await body(start, name)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

/** Returns what the runs of a task have done, in order. */
function effectsOf(name: string): string[] {
  const file = join(folder, `${name}.log`)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return lines.map((line) => line.replace(/ .*/, ''))
}

/** Runs the tool as a task and waits for its result. */
async function work({ url }: Node, args: { name: string; blockMs?: number; waits?: boolean }): Promise<unknown> {
  const client = await connect(url, { extensions: [tasks()] })
  const { content } = await client.callTool('work', args).finally(() => client.close())
  return content
}

const backends = Object.keys(BACKENDS).filter((backend) => BACKENDS[backend] !== undefined)

describe.concurrent.each(backends)('%s', (backend) => {
  test('a handler blocks the event loop for a while: it runs once, to its end', () =>
    withService(backend, async (start, name) => {
      const content = await work(await start(), { name, blockMs: 300 })
      expect(content).toEqual([{ type: 'text', text: `effect of ${name}` }])
      expect(effectsOf(name)).toEqual(['start', 'effect', 'end'])
    }))
})
