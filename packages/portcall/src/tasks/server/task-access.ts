import { authorizationOf, coversAuthorization } from '../../jsonrpc/authorization-key.ts'
import { insufficientScope, invalidParams, unknownTask } from '../../protocol/errors.ts'
import type { Call } from '../../server/call.ts'
import type { ServerExtensionContext } from '../../server/extension.ts'
import type { TaskRecord } from '../store/record.ts'
import type { TaskRef, TaskStore } from '../store/task-store.ts'

/** A task that the caller may use. */
export interface AccessibleTask {
  readonly ref: TaskRef
  readonly record: TaskRecord
}

/** Finds tasks for callers. A task exists for those who could call its tool now. */
export interface TaskAccess {
  /** Returns a task. @throws RpcError -32602 if it does not exist for the caller, -32600 when the caller lacks scopes of its tool. */
  open(taskId: unknown, call: Call): Promise<AccessibleTask>
  /**
   * Returns the requested ids of tasks that exist for the caller.
   *
   * @throws RpcError -32602 if the request is not an array of a permitted length, -32600 when the caller lacks scopes of a tool.
   */
  filterSubscribable(taskIds: unknown, call: Call): Promise<readonly string[]>
}

const TASK_ID = /^[\w-]{1,64}$/
const MAX_IDS = 1024

/** A task of the caller's principal, and the scopes of its tool that the caller lacks. */
interface FoundTask extends AccessibleTask {
  readonly missingScopes: readonly string[]
}

export function createTaskAccess(
  taskStore: Pick<TaskStore, 'refOf' | 'read'>,
  { toolAccess }: Pick<ServerExtensionContext, 'toolAccess'>,
): TaskAccess {
  const find = async (taskId: unknown, call: Call): Promise<FoundTask | undefined> => {
    if (typeof taskId !== 'string' || !TASK_ID.test(taskId)) return undefined
    const ref = await taskStore.refOf(call.auth?.principal, taskId)
    const record = await taskStore.read(ref)
    if (!record) return undefined
    const access = await toolAccess(String(record.call.params.name), call)
    if (access === 'unknown') {
      // The tool is gone, so nothing but the authorization of the call says who may see its result.
      return coversAuthorization(call.auth, authorizationOf(record.call.auth)) ? { ref, record, missingScopes: [] } : undefined
    }
    return access === 'hidden' ? undefined : { ref, record, missingScopes: access.missingScopes }
  }
  const requireScopes = (tasks: readonly FoundTask[]): void => {
    const scopes = new Set(tasks.flatMap(({ missingScopes }) => missingScopes))
    if (scopes.size > 0) throw insufficientScope([...scopes])
  }

  return {
    async open(taskId, call) {
      const task = await find(taskId, call)
      if (!task) throw unknownTask()
      requireScopes([task])
      return task
    },
    async filterSubscribable(taskIds, call) {
      if (!Array.isArray(taskIds) || taskIds.length > MAX_IDS)
        throw invalidParams(`taskIds must be an array of at most ${MAX_IDS} task ids`)
      const found = (await Promise.all(taskIds.map((id) => find(id, call)))).flatMap((task) => task ?? [])
      requireScopes(found)
      return found.map(({ record }) => record.id)
    },
  }
}
