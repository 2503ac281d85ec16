import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { serve } from 'portcall/node'
import type { Stores } from 'portcall/stores'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'
import { onTestFinished } from 'vitest'

/** A server whose tool runs as a task, and its client. */
export interface TaskService {
  readonly stores: Stores
  /** Returns what a load balancer is told. */
  ready(): Promise<number>
  /** Runs the tool as a task with an argument of so many characters. Resolves to its text. */
  work(size?: number): Promise<unknown>
  /** Starts the tool as a task. Resolves to its id. */
  startWork(): Promise<string>
  /** Waits for the result of a task. */
  resultOf(taskId: string): Promise<unknown>
  /** Returns how often the step of the tool has run. */
  runs(): number
}

/** A text that databases cannot compress. */
export const randomText = (size: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(size / 2))).toString('hex')

/** Opens stores, and serves a tool that runs as a task on them, until the test has finished. */
export async function openService(stores: Stores): Promise<TaskService> {
  onTestFinished(stores.close)
  const server = createServer({ name: 'full', version: '1.0.0' }, { stores, extensions: [tasks()], onEvent: () => {} })
  let runs = 0
  const input = { type: 'object', properties: { text: { type: 'string' } } }
  server.tool('work', { task: 'required', input }, (_args, call) =>
    call.step('only', () => {
      runs++
      return 'done'
    }),
  )
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(close)
  const client = await connect(url, { extensions: [clientTasks()] })
  onTestFinished(() => client.close())
  return {
    stores,
    ready: async () => (await fetch(new URL('/readyz', url))).status,
    work: async (size = 0) => (await client.callTool('work', { text: randomText(size) })).content,
    async startWork() {
      const started = await client.tasks.start('work', {})
      if (!('taskId' in started)) throw new Error('The call did not become a task')
      return started.taskId
    },
    runs: () => runs,
    resultOf: async (taskId) => (await client.tasks.open(taskId).result()).content,
  }
}
