import type { Call } from '../../entrypoints/index.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { TaskQueue } from '../queues/queue.ts'
import { cancelRecord, recordInputResponses, type TaskRecord } from '../store/record.ts'
import type { TaskRef, TaskStore } from '../store/task-store.ts'
import type { Requeuer } from '../worker/requeue.ts'
import { renderDetailedTask } from './render.ts'

export interface TaskMethodsOptions {
  readonly taskStore: TaskStore
  readonly queue: TaskQueue
  readonly requeuer: Requeuer
  readonly onError: (error: unknown) => void
  readonly now: () => number
}

type MethodHandler = (params: JsonObject, call: Call) => Promise<object>

/** Creates the handlers of the extension's methods. They respond to a task of another principal as to a task that does not exist. */
export function createTaskMethods(options: TaskMethodsOptions): { readonly [method: string]: MethodHandler } {
  const { taskStore, queue, requeuer, onError, now } = options
  const refOf = ({ taskId }: JsonObject, { auth }: Call): Promise<TaskRef> => {
    if (typeof taskId !== 'string' || !TASK_ID.test(taskId)) throw unknownTask()
    return taskStore.refOf(auth?.principal, taskId)
  }

  return {
    async 'tasks/get'(params, call) {
      const ref = await refOf(params, call)
      const record = requireTask(await taskStore.read(ref))
      // The status can be returned while the queue is unavailable; the requeuer tries again later.
      await requeuer.requeueIfLost(ref, record).catch(onError)
      return renderDetailedTask(record)
    },

    async 'tasks/update'(params, call) {
      const { inputResponses } = params
      if (!isObject(inputResponses)) throw invalidParams('inputResponses must be an object')
      const ref = await refOf(params, call)
      const record = requireTask(await taskStore.change(ref, (before) => recordInputResponses(before, inputResponses, now())))
      if (canContinue(record, inputResponses)) await queue.enqueue(ref, { ttlMs: record.ttlMs })
      return {}
    },

    async 'tasks/cancel'(params, call) {
      requireTask(await taskStore.change(await refOf(params, call), (before) => cancelRecord(before, now())))
      return {}
    },
  }
}

const TASK_ID = /^[\w-]{1,64}$/

function requireTask(record: TaskRecord | undefined): TaskRecord {
  if (!record) throw unknownTask()
  return record
}

function unknownTask(): Error {
  return invalidParams('the task does not exist or has expired')
}

/**
 * Reports whether these responses include the last one that the task was waiting for. Also true when a client repeats them because it did not
 * receive the result.
 */
function canContinue({ status, questions }: TaskRecord, responses: JsonObject): boolean {
  return status === 'working' && Object.keys(responses).some((key) => Object.hasOwn(questions, key))
}
