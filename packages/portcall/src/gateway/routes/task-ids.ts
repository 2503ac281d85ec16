import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { unknownTask } from '../../protocol/errors.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'

/** The ids of tasks, which name their server and belong to their caller. */
export interface TaskIds {
  /** Returns a task with its id as the gateway exposes it. */
  exposeTask(tool: TaskOrigin, task: JsonObject, context: Pick<ExchangeContext, 'auth'>): Promise<JsonObject>
  /** Returns the origin of a task and the id there. @throws RpcError if the caller has no such task. */
  resolve(taskId: unknown, context: Pick<ExchangeContext, 'auth'>): Promise<TaskOrigin & { readonly taskId: string }>
}

/** The tool that a task was created by. */
export interface TaskOrigin {
  readonly server: string
  /** The name of the tool on the server. */
  readonly name: string
}

const PURPOSE = 'gateway-task'
/** Longer than servers keep tasks. */
const TTL_MS = 30 * 86_400_000

export function createTaskIds(sealer: Sealer): TaskIds {
  return {
    async exposeTask({ server, name }, task, { auth }) {
      const taskId = await sealer.seal(PURPOSE, [server, task.taskId, name], { ttlMs: TTL_MS, principal: auth?.principal })
      return { ...task, taskId }
    },
    async resolve(token, { auth }) {
      const opened =
        typeof token === 'string'
          ? await sealer.open(PURPOSE, token, { principal: auth?.principal }).catch(() => undefined)
          : undefined
      if (!Array.isArray(opened)) throw unknownTask()
      return { server: String(opened[0]), taskId: String(opened[1]), name: String(opened[2]) }
    },
  }
}
