import { METHODS } from '../protocol/methods.ts'
import type { Outcome, TracedOperation } from './operation.ts'

/** Decides which names of a request become labels of metrics. */
export interface KnownNames {
  /** Returns the operation with names that exist: a caller must not be able to create any number of time series. */
  limit(operation: TracedOperation, outcome: Outcome): TracedOperation
}

const MAX_NAMES = 1000
const OTHER = '_OTHER'
const METHOD_NOT_FOUND = -32601

/**
 * Creates the set of known names. The name of a tool or prompt is known once a request with it had a result, because servers answer unknown
 * names with an error. A method is known if the protocol defines it or a server has not rejected it.
 */
export function createKnownNames(): KnownNames {
  const names = new Set<string>()
  const isKnown = (name: string, exists: boolean): boolean => {
    if (names.has(name)) return true
    if (!exists || names.size >= MAX_NAMES) return false
    names.add(name)
    return true
  }
  return {
    limit(operation, { code }) {
      const { method, kind, target } = operation
      const isMethodKnown = METHODS.has(method) || isKnown(method, code !== METHOD_NOT_FOUND)
      if (!isMethodKnown) return { method: OTHER, kind: undefined, target: undefined }
      if (target === undefined) return operation
      if (kind !== 'resource' && isKnown(`${kind} ${target}`, code === undefined)) return operation
      return { method, kind: undefined, target: undefined }
    },
  }
}
