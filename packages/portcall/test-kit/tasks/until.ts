import type { JsonObject } from '../../src/jsonrpc/message.ts'
import { eventually } from '../eventually.ts'
import type { Caller } from '../server.ts'

/** Polls a task until it has a status. Resolves to the task. */
export async function waitForStatus(caller: Caller, taskId: unknown, status: string): Promise<JsonObject> {
  return eventually(async () => {
    const task = await caller.result('tasks/get', { taskId })
    if (task.status !== status) throw new Error(`The task is ${JSON.stringify(task)}`)
    return task
  })
}
