import { insufficientScope } from '../protocol/errors.ts'
import type { CallContext } from './call.ts'
import type { Described } from './define.ts'

/** What demands scopes. */
type Demanding = { readonly definition: Pick<Described, 'scopes'> }

/** Tells whether a caller lacks scopes. Where nobody can be authenticated (a pipe, memory), nobody lacks any. */
export function lacksScopes({ definition: { scopes } }: Demanding, { context: { auth, http } }: CallContext): boolean {
  if (!scopes?.length || !(auth || http)) return false
  return !scopes.every((scope) => auth?.scopes?.includes(scope))
}

/** Lets only callers pass who have all scopes of all entries. @throws RpcError that tells all that are needed. */
export function demandScopes(entries: readonly Demanding[], call: CallContext): void {
  if (!entries.some((entry) => lacksScopes(entry, call))) return
  throw insufficientScope([...new Set(entries.flatMap(({ definition }) => definition.scopes ?? []))])
}
