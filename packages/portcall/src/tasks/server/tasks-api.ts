import type { TaskQueue } from '../queues/queue.ts'
import { cancelRecord } from '../store/record.ts'
import type { TaskStore } from '../store/task-store.ts'
import type { DetailedTask } from '../types.ts'
import type { WorkerLifecycle } from '../worker/lifecycle.ts'
import type { Worker } from '../worker/worker.ts'
import { renderDetailedTask } from './render.ts'

/** The owner of a task: a principal, or nobody if callers are not authenticated. */
export interface TaskOwner {
  /** The `principal` of the caller that created the task. */
  readonly principal?: string
}

/** The tasks of a server: `server.tasks`. */
export interface Tasks {
  /** The number of tasks that this process is running. */
  readonly running: number
  /**
   * Resolves to the number of tasks in the queue of all processes, those that run included, or to `undefined` if the queue cannot tell:
   * `metrics.queue('tasks', server.tasks.countQueued)`.
   */
  countQueued(): Promise<number | undefined>
  /** Resolves to the tasks of an owner, finished or not, in no particular order. */
  list(options?: TaskOwner & { readonly after?: string; readonly limit?: number }): Promise<DetailedTask[]>
  /** Resolves to a task of an owner, or to `undefined` if there is none with this id. */
  get(taskId: string, owner?: TaskOwner): Promise<DetailedTask | undefined>
  /** Cancels a task. The message becomes its status message. */
  cancel(taskId: string, options?: TaskOwner & { readonly message?: string }): Promise<void>
  /**
   * Stops running tasks in this process. Running tasks have `drainTimeoutMs` to end, by default 0; the remaining ones continue in another
   * process, or here after a restart. Calls to this process no longer become tasks: they run synchronously, or fail if the tool requires a
   * task. Resolves when nothing is running any more.
   */
  stop(options?: { readonly drainTimeoutMs?: number }): Promise<void>
}

export interface TasksApiOptions {
  readonly queue: TaskQueue
  readonly taskStore: TaskStore
  readonly worker: Worker
  readonly lifecycle: WorkerLifecycle
  readonly now: () => number
}

export function createTasksApi({ queue, taskStore, worker, lifecycle, now }: TasksApiOptions): Tasks {
  return {
    get running() {
      return worker.size
    },
    countQueued: async () => queue.count?.(),
    async list({ principal, after, limit = 100 } = {}) {
      const ids = await taskStore.list(principal, { limit, ...(after !== undefined && { after }) })
      const records = await Promise.all(ids.map(async (id) => await taskStore.read(await taskStore.refOf(principal, id))))
      return records.flatMap((record) => (record ? [renderDetailedTask(record)] : []))
    },
    async get(taskId, { principal } = {}) {
      const record = await taskStore.read(await taskStore.refOf(principal, taskId))
      return record && renderDetailedTask(record)
    },
    async cancel(taskId, { principal, message } = {}) {
      await taskStore.change(await taskStore.refOf(principal, taskId), (record) => cancelRecord(record, now(), message))
    },
    stop: ({ drainTimeoutMs = 0 } = {}) => lifecycle.stop(drainTimeoutMs),
  }
}
