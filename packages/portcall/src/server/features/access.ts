import { insufficientScope } from '../../protocol/errors.ts'
import type { CallContext } from '../call.ts'
import type { ToolAccess } from '../tool-access.ts'
import type { RegistryEntry } from './registry.ts'

/** Returns whether an item exists for the caller: `visible` decides, and with the policy `hide` also the scopes. */
export function isVisible(entry: RegistryEntry, call: CallContext): boolean | Promise<boolean> {
  const { definition } = entry
  if (definition.onInsufficientScope === 'hide' && lacksScopes(entry, call)) return false
  return definition.visible ? definition.visible(call) : true
}

/** Returns whether the caller lacks a scope of an item. Nobody does on transports without authentication, such as stdio. */
export function lacksScopes({ definition: { scopes } }: RegistryEntry, { context: { auth, http } }: CallContext): boolean {
  if (!scopes?.length || !(auth || http)) return false
  return !scopes.every((scope) => auth?.scopes?.includes(scope))
}

/** Requires all scopes of all entries. @throws RpcError -32600 that lists them when the caller lacks one. */
export function requireScopes(entries: readonly RegistryEntry[], call: CallContext): void {
  if (!entries.some((entry) => lacksScopes(entry, call))) return
  throw insufficientScope([...new Set(entries.flatMap(({ definition }) => definition.scopes ?? []))])
}

/** Returns whether an item exists for the caller and the caller has its scopes. @throws RpcError -32600 when scopes are missing. */
export async function checkAccess(entry: RegistryEntry, call: CallContext): Promise<boolean> {
  if (!(await isVisible(entry, call))) return false
  requireScopes([entry], call)
  return true
}

/** Returns what a caller may do with a tool, where a missing scope or tool is not an error yet. */
export async function toolAccess(entry: RegistryEntry | undefined, call: CallContext): Promise<ToolAccess> {
  if (!entry) return 'unknown'
  if (!(await isVisible(entry, call))) return 'hidden'
  return { missingScopes: lacksScopes(entry, call) ? (entry.definition.scopes ?? []) : [] }
}
