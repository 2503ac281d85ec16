import type { Request } from '../jsonrpc/message.ts'
import { type Outcome, operationOf, type TracedOperation } from '../logging/operation.ts'
import { METHODS } from '../protocol/methods.ts'

/** Decides which names of a request become labels of metrics. */
export interface KnownNames {
  /** Returns what a request is about. Requests for the same known names get the same object. */
  operationOf(request: Pick<Request, 'method' | 'params'>): TracedOperation
  /** Returns the operation with names that exist: a caller must not be able to create any number of time series. */
  limit(operation: TracedOperation, outcome: Outcome): TracedOperation
}

const MAX_NAMES = 1000
const OTHER: TracedOperation = { method: '_OTHER', kind: undefined, target: undefined }
const METHOD_NOT_FOUND = -32601

/**
 * Creates the set of known names. The name of a tool or prompt is known once a request with it had a result, because servers answer unknown
 * names with an error. The result of a limit, which does not know the names, does not count. A method is known if the protocol defines it or a server has not rejected it.
 */
export function createKnownNames(): KnownNames {
  /** The known operations by method and target. Those of a method alone have the target `undefined`. */
  const known = new Map<string, Map<string | undefined, TracedOperation>>()
  let size = 0
  const remember = (operation: TracedOperation): TracedOperation => {
    const { method, target } = operation
    const targets = known.get(method) ?? new Map<string | undefined, TracedOperation>()
    known.set(method, targets.set(target, operation))
    size++
    return operation
  }
  return {
    operationOf(request) {
      const operation = operationOf(request)
      return known.get(operation.method)?.get(operation.target) ?? operation
    },
    limit(operation, { code, isRefused }) {
      const { method, kind, target } = operation
      const targets = known.get(method)
      const found = targets?.get(target)
      if (found) return found
      const hasRoom = size < MAX_NAMES
      const isAnswered = code === undefined && !isRefused
      if (target !== undefined && kind !== 'resource' && isAnswered && hasRoom) return remember(operation)
      const exists = METHODS.has(method) || (code !== METHOD_NOT_FOUND && hasRoom)
      return exists ? (targets?.get(undefined) ?? remember({ method, kind: undefined, target: undefined })) : OTHER
    },
  }
}
