import { type ConnectTarget, connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'

const options = {
  elicit: () => ({ color: 'red' }),
  extensions: [tasks({ listen: true })],
} as const

/** Waits for the task like for any call, shows its status messages, and answers its input requests. */
export async function bind(target: ConnectTarget, show: (message: string) => void): Promise<unknown> {
  const client = await connect(target, options)
  const { content } = await client.callTool('bind', {}, { onProgress: ({ message = '' }) => show(message) })
  await client.close()
  return content
}

/** Starts a task without waiting for it. Store its ID. */
export async function start(target: ConnectTarget): Promise<string | undefined> {
  const client = await connect(target, options)
  const started = await client.tasks.start('print')
  await client.close()
  return 'taskId' in started ? started.taskId : undefined
}

/** Waits for a task that was started earlier, over another connection or in another process. */
export async function resume(target: ConnectTarget, taskId: string): Promise<unknown> {
  const client = await connect(target, options)
  const { content } = await client.tasks.open(taskId).result()
  await client.close()
  return content
}
