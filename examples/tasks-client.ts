/** A host that calls tools whose calls become tasks: it waits for one, and finds another one again after a restart. */
import { connect, type Target } from 'portcall/client'
import { tasks } from 'portcall/tasks/client'

const options = {
  elicit: () => ({ action: 'accept' as const, content: { colour: 'red' } }),
  extensions: [tasks({ listen: true })],
}

// #region call
/** Waits for a task as for any call, shows how far it is, and answers what it asks. */
export async function bind(target: Target, show: (message: string) => void): Promise<string> {
  await using client = await connect(target, options)
  const onProgress = ({ message = '' }): void => show(message)
  const { content } = await client.callTool('bind', {}, { onProgress })
  return JSON.stringify(content)
}
// #endregion

// #region begin
/** Begins a task and does not wait. Its id is all that has to be kept. */
export async function begin(target: Target): Promise<string | undefined> {
  await using client = await connect(target, options)
  const begun = await client.tasks.start('print')
  return 'taskId' in begun ? begun.taskId : undefined
}
// #endregion

// #region again
/** Finds the task again, in another connection and in another process. */
export async function goOn(target: Target, taskId: string): Promise<string> {
  await using client = await connect(target, options)
  const { content } = await client.tasks.open(taskId).result()
  return JSON.stringify(content)
}
// #endregion
