import type { JsonObject, Message, RequestId } from 'portcall/jsonrpc'
import { hasOracle, oracle } from './oracle.ts'
import { eraOf, type RevisionName } from './setups.ts'
import { isOfTasks, judgeTask } from './tasks-oracle.ts'

/** Logs all messages of a connection and validates those of the server against the official schema of the revision. */
export interface Inspector {
  readonly log: { from: 'client' | 'server'; message: JsonObject }[]
  readonly violations: string[]
  sent(message: Message): void
  received(message: JsonObject): void
}

/** A placeholder for the id of an unreadable message: the first three schemas require an id but define no value for this case. */
const NOBODY = 'unreadable'

/** Methods of extensions, which the official schemas do not define. */
const EXTENSION = /^[a-z]+\.[a-z.]+\//

/** Creates an inspector for one revision. */
export function createInspector(revision: RevisionName): Inspector {
  const schema = hasOracle ? oracle(revision, { closed: true }) : undefined
  const methods = new Map<RequestId, string>()
  const log: Inspector['log'] = []
  const violations: string[] = []

  /** Validates messages of extensions, which the official schemas do not define. */
  const faultOfTask = (message: JsonObject): { fault: string | undefined } | undefined => {
    if (eraOf(revision) !== 'modern') return undefined
    const method = String(message.method ?? methods.get(message.id as RequestId))
    if ('method' in message) return isOfTasks(method) ? { fault: judgeTask(method, message.params) } : undefined
    if (!('result' in message)) return undefined
    const name = (message.result as JsonObject).resultType === 'task' ? 'created' : method
    return isOfTasks(name) ? { fault: judgeTask(name, message.result) } : undefined
  }
  const faultOf = (message: JsonObject): string | undefined => {
    const judged = faultOfTask(message)
    if (judged) return judged.fault
    if ('method' in message && 'id' in message)
      return eraOf(revision) === 'modern' ? `a request from the server: ${message.method}` : schema?.request(message)
    if ('method' in message) return schema?.notification(withoutTasks(message))
    if ('error' in message) return schema?.error({ id: NOBODY, ...message })
    const method = methods.get(message.id as RequestId)
    if (method && EXTENSION.test(method)) return undefined
    return method === undefined ? `an answer to nothing: ${JSON.stringify(message)}` : schema?.result(method, message.result)
  }

  return {
    log,
    violations,
    sent(message) {
      log.push({ from: 'client', message: structuredClone(message) as unknown as JsonObject })
      if ('method' in message && 'id' in message) methods.set(message.id, message.method)
    },
    received(message) {
      log.push({ from: 'server', message: structuredClone(message) })
      const fault = faultOf(message)
      if (fault) violations.push(fault)
    },
  }
}

/** Removes the member of the tasks extension from an acknowledged filter. */
function withoutTasks(message: JsonObject): JsonObject {
  const { notifications, ...params } = (message.params ?? {}) as { notifications?: JsonObject }
  if (!Array.isArray(notifications?.taskIds)) return message
  const { taskIds, ...filter } = notifications
  return { ...message, params: { ...params, notifications: filter } }
}
