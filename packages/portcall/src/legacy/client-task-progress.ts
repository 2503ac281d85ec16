import type { JsonObject } from '../jsonrpc/message.ts'
import { enterNewest } from '../jsonrpc/newest.ts'
import { relatedTask } from '../protocol/tasks.ts'
import { isFinal } from './render-task.ts'

/** What servers report of tasks that go on. The extension has no progress for tasks: there it is their status message. */
export interface TaskProgress {
  /** Takes a report in; gives the task that it is about, if it is about one. */
  hear(params: JsonObject): string | undefined
  /** The task with what was reported last, while it goes on and the server says nothing else of it. */
  tell(task: JsonObject): JsonObject
}

/** Of so many tasks reports are kept. */
const MOST_TASKS = 1000

export function createTaskProgress(): TaskProgress {
  const reports = new Map<unknown, string>()

  return {
    hear(params) {
      const taskId = relatedTask(params)
      if (taskId !== undefined) enterNewest(reports, [taskId, textOf(params)], MOST_TASKS)
      return taskId
    },
    tell(task) {
      const { taskId, statusMessage } = task
      if (isFinal(task)) reports.delete(taskId)
      const report = reports.get(taskId)
      return report === undefined || statusMessage !== undefined ? task : { ...task, statusMessage: report }
    },
  }
}

function textOf({ message, progress, total }: JsonObject): string {
  if (typeof message === 'string') return message
  return total === undefined ? String(progress) : `${progress} of ${total}`
}
