import type { Server } from 'portcall'
import type { TaskOwner, Tasks } from 'portcall/tasks'

/** Cancels the unfinished tasks of a user, and waits up to 10 seconds for running ones. */
export async function shutDown(server: Server & { readonly tasks: Tasks }, owner: TaskOwner): Promise<void> {
  const all = await server.tasks.list(owner)
  const open = all.filter(({ status }) => status === 'working' || status === 'input_required')
  for (const { taskId } of open) await server.tasks.cancel(taskId, { ...owner, message: 'The service is shutting down' })
  await server.tasks.stop({ drainTimeoutMs: 10_000 })
}
