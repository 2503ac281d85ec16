import type { ServerExtensionContext } from '../../server/extension.ts'
import type { TaskStore } from '../store/task-store.ts'
import { renderDetailedTask } from './render.ts'

/** Notifies the subscribers of a task of its changes. */
export function withNotifications(taskStore: TaskStore, { publish }: Pick<ServerExtensionContext, 'publish'>): TaskStore {
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
  }
}
