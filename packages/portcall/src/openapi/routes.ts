/** Decides what becomes of each operation. */
import { matchesGlob } from '../../../util/src/glob.ts'
import type { ApiOperation } from './document/operations.ts'
import type { OpenApiRoute, OperationTarget } from './options.ts'

/** Returns what the first route that matches says. Default: a tool. */
export function targetOf(operation: ApiOperation, routes: readonly OpenApiRoute[]): OperationTarget {
  return routes.find((route) => matchesRoute(operation, route))?.to ?? 'tool'
}

/** Reports whether an operation meets all conditions of a route. */
export function matchesRoute(operation: ApiOperation, { methods, path, tags, operationIds }: OpenApiRoute): boolean {
  if (methods && !methods.some((method) => method.toUpperCase() === operation.method)) return false
  if (tags && !tags.some((tag) => operation.tags.includes(tag))) return false
  if (operationIds && !operationIds.includes(operation.operationId ?? '')) return false
  if (path === undefined) return true
  return typeof path === 'string'
    ? matchesGlob(operation.path, path)
    : new RegExp(path.source, path.flags.replace(/[gy]/g, '')).test(operation.path)
}
