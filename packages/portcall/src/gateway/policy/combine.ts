import type { Middleware } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { isReplaying } from '../../jsonrpc/replaying.ts'
import type { GatewayCall, GatewayCaller, GatewayItem, GatewayPolicy, PolicyDecision } from './types.ts'

/** Several policies as one. Each can only remove what the others allow. */
export interface CombinedPolicies {
  /** There is no policy. */
  readonly isEmpty: boolean
  readonly list: readonly GatewayPolicy[]
  /** There is no middleware, and no policy with middleware or `result`: none of them sees a result. */
  readonly isTransparent: boolean
  /** Middleware that runs after the policies have allowed a call, because it may answer with a kept result. */
  readonly replaying: readonly Middleware[]
  isVisible(item: GatewayItem, caller: GatewayCaller): boolean
  describe(item: GatewayItem & { readonly definition: JsonObject }, caller: GatewayCaller): JsonObject
  /** Returns the first decision that is not `allow`. */
  decide(call: GatewayCall): Promise<PolicyDecision>
  result(result: JsonObject, call: GatewayCall): Promise<JsonObject>
}

export function combinePolicies(
  policy: GatewayPolicy | readonly GatewayPolicy[] = [],
  middleware: readonly Middleware[] = [],
): CombinedPolicies {
  const list: readonly GatewayPolicy[] = isList(policy) ? policy : [policy]
  return {
    isEmpty: list.length === 0,
    isTransparent: middleware.length === 0 && !list.some((each) => each.result ?? each.middleware ?? each.serverMiddleware),
    list,
    replaying: middleware.filter(isReplaying),
    isVisible: (item, caller) => list.every((each) => each.visible?.(item, caller) ?? true),
    describe: (item, caller) =>
      list.reduce((definition, each) => each.describe?.({ ...item, definition }, caller) ?? definition, item.definition),
    async decide(call) {
      for (const each of list) {
        const decision = (await each.decide?.(call)) ?? 'allow'
        if (decision !== 'allow') return decision
      }
      return 'allow'
    },
    async result(result, call) {
      let changed = result
      for (const each of list) changed = (await each.result?.(changed, call)) ?? changed
      return changed
    },
  }
}

function isList(policy: GatewayPolicy | readonly GatewayPolicy[]): policy is readonly GatewayPolicy[] {
  return Array.isArray(policy)
}
