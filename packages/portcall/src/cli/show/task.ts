import { isObject } from '../../jsonrpc.ts'
import type { DetailedTask, Task } from '../../tasks-client.ts'
import { plainLine } from './plain.ts'

/** A task: its id, how it stands, and what it says, asks or failed with. */
export function showTask(task: Task | DetailedTask): string {
  const { taskId, status, statusMessage } = task
  const said = statusMessage === undefined ? '' : `  ${plainLine(statusMessage)}`
  return [`${plainLine(taskId)}  ${status}${said}`, ...questionsOf(task)].join('\n')
}

function questionsOf(task: Task | DetailedTask): string[] {
  if (!('inputRequests' in task)) return []
  return Object.values(task.inputRequests).map(({ method, params }) => {
    const message: unknown = isObject(params) ? params.message : undefined
    return `    asks: ${plainLine(typeof message === 'string' ? message : method)}`
  })
}
