import { setLru } from '../../../../util/src/lru.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { relatedTaskId } from '../../protocol/tasks.ts'
import { isFinalTask } from '../render/task.ts'

/** The progress of running tasks. The tasks extension has no progress notifications, so progress becomes the status message. */
export interface TaskProgress {
  /** Records a progress notification. Returns the ID of its task, if it has one. */
  record(params: JsonObject): string | undefined
  /** Returns the task with the latest progress as its status message, unless it has one or has ended. */
  apply(task: JsonObject): JsonObject
}

/** The number of tasks whose progress is stored. */
const MAX_TASKS = 1000

export function createTaskProgress(): TaskProgress {
  const messages = new Map<unknown, string>()

  return {
    record(params) {
      const taskId = relatedTaskId(params)
      if (taskId !== undefined) setLru(messages, [taskId, describeProgress(params)], MAX_TASKS)
      return taskId
    },
    apply(task) {
      const { taskId, statusMessage } = task
      if (isFinalTask(task)) messages.delete(taskId)
      const message = messages.get(taskId)
      return message === undefined || statusMessage !== undefined ? task : { ...task, statusMessage: message }
    },
  }
}

function describeProgress({ message, progress, total }: JsonObject): string {
  if (typeof message === 'string') return message
  return total === undefined ? String(progress) : `${progress} of ${total}`
}
