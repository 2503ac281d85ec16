import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams, unknownTask } from '../../protocol/errors.ts'
import type { Call } from '../../server/call.ts'
import type { TaskQueue } from '../queues/queue.ts'
import { cancelRecord, recordInputResponses, type TaskRecord } from '../store/record.ts'
import type { TaskStore } from '../store/task-store.ts'
import type { Requeuer } from '../worker/requeue.ts'
import { renderDetailedTask } from './render.ts'
import type { TaskAccess } from './task-access.ts'

export interface TaskMethodsOptions {
  readonly taskStore: TaskStore
  readonly access: TaskAccess
  readonly queue: TaskQueue
  readonly requeuer: Requeuer
  readonly onError: (error: unknown) => void
  readonly now: () => number
}

type MethodHandler = (params: JsonObject, call: Call) => Promise<object>

/** Creates the handlers of the extension's methods. */
export function createTaskMethods(options: TaskMethodsOptions): { readonly [method: string]: MethodHandler } {
  const { taskStore, access, queue, requeuer, onError, now } = options

  return {
    async 'tasks/get'(params, call) {
      const { ref, record } = await access.open(params.taskId, call)
      // The status can be returned while the queue is unavailable; the requeuer tries again later.
      await requeuer.requeueIfLost(ref, record).catch(onError)
      return renderDetailedTask(record)
    },

    async 'tasks/update'(params, call) {
      const { inputResponses } = params
      if (!isObject(inputResponses)) throw invalidParams('inputResponses must be an object')
      const { ref } = await access.open(params.taskId, call)
      const record = requireTask(await taskStore.change(ref, (before) => recordInputResponses(before, inputResponses, now())))
      if (canContinue(record, inputResponses)) await queue.enqueue(ref, { ttlMs: record.ttlMs })
      return {}
    },

    async 'tasks/cancel'(params, call) {
      const { ref } = await access.open(params.taskId, call)
      requireTask(await taskStore.change(ref, (before) => cancelRecord(before, now())))
      return {}
    },
  }
}

function requireTask(record: TaskRecord | undefined): TaskRecord {
  if (!record) throw unknownTask()
  return record
}

/**
 * Reports whether these responses include the last one that the task was waiting for. Also true when a client repeats them because it did not
 * receive the result.
 */
function canContinue({ status, questions }: TaskRecord, responses: JsonObject): boolean {
  return status === 'working' && Object.keys(responses).some((key) => Object.hasOwn(questions, key))
}
