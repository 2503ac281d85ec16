/** A service whose tool `work` runs as a task, in processes that share a store. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ConnectOptions, connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'
import { createClock } from './clock.ts'

const PROGRAM = fileURLToPath(new URL('working-process.mjs', import.meta.url))

/** One process of the service. */
export interface WorkingNode {
  readonly url: string
  readonly process: ChildProcess
  /** The warnings and errors that the server reported. */
  readonly reports: string[]
  /** Returns what a load balancer is told about the process: the status of `/readyz`. */
  readiness(): Promise<number>
  /** Returns the time that the process has. */
  now(): Promise<number>
  /** Sets the clock of a process that was started with one. */
  setClock(offsetSeconds: number): void
}

/** The work of the tool: it starts, blocks or waits, runs one step with an effect, and ends. */
export interface Work {
  /** For how long the event loop is blocked. */
  readonly blockMs?: number
  /** True if the handler waits for `goOn`. */
  readonly waits?: boolean
}

export interface StartOptions {
  /** How far the clock is ahead. It can be set later. By default, the process has the clock of the machine. */
  readonly offsetSeconds?: number
  /** Default: a free one. */
  readonly port?: number
}

/** The service of one test. */
export interface WorkingService {
  /** Starts another process. */
  start(options?: StartOptions): Promise<WorkingNode>
  /** Runs the tool as a task and waits for its result. */
  work(node: Pick<WorkingNode, 'url'>, work: Work, options?: ConnectOptions): Promise<unknown>
  /** Runs the tool as a task. Resolves to the id of the task. */
  startWork(node: Pick<WorkingNode, 'url'>, work: Work): Promise<string>
  /** Waits for the result of a task. */
  resultOf(node: Pick<WorkingNode, 'url'>, taskId: string): Promise<unknown>
  /** Lets handlers that wait continue. */
  goOn(): void
  /** Returns what the runs of the handler have done, in order, each with the id of its process. */
  lines(): string[]
  /** Returns what the runs of the handler have done, in order. */
  effects(): string[]
  /** The result of the tool. */
  readonly result: unknown
}

let created = 0

export interface WorkingServiceOptions {
  readonly backend: string
  /** The URL of the database server; empty for SQLite and memory. */
  readonly url: string
  /** A folder for its files. */
  readonly folder: string
}

/** Runs a test with a service of its own. */
export async function withService(
  options: WorkingServiceOptions,
  body: (service: WorkingService) => Promise<void>,
): Promise<void> {
  const { backend, url, folder } = options
  const name = `trouble_${process.pid}_${created++}`
  const children: ChildProcess[] = []
  const lines = (): string[] => {
    const file = join(folder, `${name}.log`)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  const open = (node: Pick<WorkingNode, 'url'>, more: ConnectOptions = {}) =>
    connect(node.url, { ...more, extensions: [tasks()] })
  const service: WorkingService = {
    async start({ offsetSeconds, port = 0 } = {}) {
      const clock =
        offsetSeconds === undefined ? undefined : createClock(join(folder, `${name}.clock${children.length}`), offsetSeconds)
      const child = fork(PROGRAM, [backend, url || join(folder, `${name}.db`), name, folder, String(port)], {
        stdio: 'inherit',
        env: { ...process.env, ...clock?.env },
      })
      children.push(child)
      const [{ url: ownUrl }] = (await once(child, 'message')) as [{ url: string }]
      const reports: string[] = []
      child.on('message', ({ report }: { report?: string }) => void (report === undefined || reports.push(report)))
      return {
        ...{ url: ownUrl, process: child, reports },
        readiness: async () => (await fetch(new URL('/readyz', ownUrl))).status,
        now: () =>
          new Promise((resolve) => {
            const onMessage = ({ now }: { now?: number }): void => {
              if (now === undefined) return
              child.off('message', onMessage)
              resolve(now)
            }
            child.on('message', onMessage)
            child.send('now')
          }),
        setClock(seconds) {
          if (!clock) throw new Error('The process has the clock of the machine')
          clock.set(seconds)
        },
      }
    },
    async work(node, work, more) {
      const client = await open(node, more)
      const { content } = await client.callTool('work', { ...work }).finally(() => client.close())
      return content
    },
    async startWork(node, work) {
      const client = await open(node)
      const started = await client.tasks.start('work', { ...work }).finally(() => client.close())
      if (!('taskId' in started)) throw new Error('The call did not become a task')
      return started.taskId
    },
    async resultOf(node, taskId) {
      const client = await open(node)
      const task = client.tasks.open(taskId)
      const { content } = await task.result().finally(() => client.close())
      return content
    },
    goOn: () => writeFileSync(join(folder, `${name}.go`), ''),
    lines,
    effects: () => lines().map((line) => line.replace(/ .*/, '')),
    result: [{ type: 'text', text: `effect of ${name}` }],
  }
  try {
    await body(service)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}
