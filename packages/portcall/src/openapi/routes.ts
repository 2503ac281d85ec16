/** Decides what becomes of each operation. */
import type { ApiOperation } from './document/operations.ts'
import type { OpenApiRoute, OperationTarget } from './options.ts'

/** Returns what the first route that matches says. Default: a tool. */
export function targetOf(operation: ApiOperation, routes: readonly OpenApiRoute[]): OperationTarget {
  return routes.find((route) => matchesRoute(operation, route))?.to ?? 'tool'
}

function matchesRoute(operation: ApiOperation, { methods, path, tags, operationIds }: OpenApiRoute): boolean {
  if (methods && !methods.includes(operation.method)) return false
  if (tags && !tags.some((tag) => operation.tags.includes(tag))) return false
  if (operationIds && !operationIds.includes(operation.operationId ?? '')) return false
  if (path === undefined) return true
  return typeof path === 'string'
    ? matchesPattern(operation.path, path)
    : new RegExp(path.source, path.flags.replace(/[gy]/g, '')).test(operation.path)
}

/** Reports whether a text matches a pattern in which `*` stands for one segment and `**` for any number of segments. */
export function matchesPattern(text: string, pattern: string): boolean {
  const source = pattern
    .split(/(\*\*|\*)/)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('')
  return new RegExp(`^${source}$`).test(text)
}
