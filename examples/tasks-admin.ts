/** Managing the tasks of a server, before its process exits. */
import type { Server } from 'portcall'
import type { Tasks } from 'portcall/tasks'

/** Cancels the unfinished tasks of a user, and waits up to 10 seconds for running ones. */
export async function shutDown(server: Server & { tasks: Tasks }, principal: string): Promise<void> {
  const all = await server.tasks.list({ principal })
  const open = all.filter(({ status }) => status === 'working' || status === 'input_required')
  for (const { taskId } of open) await server.tasks.cancel(taskId, { principal, message: 'The service is shutting down' })
  await server.tasks.stop({ drainTimeoutMs: 10_000 })
}
