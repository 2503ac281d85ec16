import type { Call, ServerExtensionContext } from '../../entrypoints/index.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { TaskStore } from '../store/task-store.ts'
import { renderDetailedTask } from './render.ts'

/** A task store that notifies the subscribers of a task of its changes. */
export interface NotifyingTaskStore extends TaskStore {
  /**
   * Returns the requested ids of tasks that exist and belong to the caller.
   *
   * @throws RpcError -32602 if the request is not an array of a permitted length.
   */
  filterSubscribable(taskIds: unknown, call: Call): Promise<readonly string[]>
}

const MAX_IDS = 1024

export function withNotifications(
  taskStore: TaskStore,
  { publish }: Pick<ServerExtensionContext, 'publish'>,
): NotifyingTaskStore {
  return {
    ...taskStore,
    async change(ref, change) {
      let isVisible = false
      const record = await taskStore.change(ref, (before) => {
        const after = change(before)
        isVisible = after.updatedAt !== before.updatedAt || after.status !== before.status
        return after
      })
      if (record && isVisible)
        publish({ key: 'taskIds', subject: record.id, method: 'notifications/tasks', params: { ...renderDetailedTask(record) } })
      return record
    },
    async filterSubscribable(taskIds, { auth }) {
      if (!Array.isArray(taskIds) || taskIds.length > MAX_IDS)
        throw invalidParams(`taskIds must be an array of at most ${MAX_IDS} task ids`)
      const ids = taskIds.filter((id): id is string => typeof id === 'string')
      const records = await Promise.all(ids.map(async (id) => await taskStore.read(await taskStore.refOf(auth?.principal, id))))
      return ids.filter((_, index) => records[index] !== undefined)
    },
  }
}
