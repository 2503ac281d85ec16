/** A host that calls tools as tasks: it waits for one task and finds another again after a restart. */
import { type ConnectTarget, connect } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'

const options = {
  elicit: () => ({ action: 'accept' as const, content: { colour: 'red' } }),
  extensions: [tasks({ listen: true })],
}

// #region call
/** Waits for a task as for any call, shows its progress, and answers its input requests. */
export async function bind(target: ConnectTarget, show: (message: string) => void): Promise<string> {
  await using client = await connect(target, options)
  const onProgress = ({ message = '' }): void => show(message)
  const { content } = await client.callTool('bind', {}, { onProgress })
  return JSON.stringify(content)
}
// #endregion

// #region start
/** Starts a task without waiting for it. Only its id needs to be stored. */
export async function start(target: ConnectTarget): Promise<string | undefined> {
  await using client = await connect(target, options)
  const started = await client.tasks.start('print')
  return 'taskId' in started ? started.taskId : undefined
}
// #endregion

// #region resume
/** Finds the task again, from another connection or process. */
export async function resume(target: ConnectTarget, taskId: string): Promise<string> {
  await using client = await connect(target, options)
  const { content } = await client.tasks.open(taskId).result()
  return JSON.stringify(content)
}
// #endregion
