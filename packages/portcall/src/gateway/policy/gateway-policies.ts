import type { KeyValueStore } from '../../stores/store.ts'
import { type AccessRulesOptions, accessRules } from './access-rules.ts'
import { type AuditPolicyOptions, auditPolicy } from './audit-policy.ts'
import { type CallLimit, callLimits } from './call-limits.ts'
import { type DefinitionPins, type DefinitionPinsOptions, definitionPins } from './definition-pins.ts'
import type { GatewayPolicy } from './types.ts'

/** Options of `gatewayPolicies`: the options of each policy. A policy without options is left out. */
export interface GatewayPoliciesOptions {
  /** The rules of `accessRules`. Default: none. */
  readonly rules?: AccessRulesOptions['rules']
  /** The action for requests that no rule matches. Required with rules. Default: `allow`. */
  readonly default?: AccessRulesOptions['default']
  /** The approval of calls. */
  readonly approvals?: AccessRulesOptions['approvals']
  /** The options of `definitionPins`. */
  readonly pins?: DefinitionPinsOptions
  /** The limits of `callLimits`. */
  readonly limits?: readonly CallLimit[]
  /** The options of `auditPolicy`. */
  readonly audit?: AuditPolicyOptions
  /** The store of rates, approvals and linked results. Several processes need a shared store. Default: in memory. */
  readonly store?: KeyValueStore
}

/** The policies of a gateway. */
export interface GatewayPolicies {
  /** The policies, in the order in which a gateway must apply them. Pass them to `createGateway` as `policy`. */
  readonly policies: readonly GatewayPolicy[]
  /** The policy that compares definitions, if there are pins. */
  readonly pins: DefinitionPins | undefined
}

/**
 * Creates several policies that work together: their decisions are in the audit log, and they share a store.
 *
 * @throws TypeError or RangeError if an option is invalid.
 */
export function gatewayPolicies(options: GatewayPoliciesOptions): GatewayPolicies {
  const { rules = [], approvals, limits = [], store } = options
  if (rules.length > 0 && options.default === undefined) throw new TypeError('default is missing: allow, approve or deny')
  const { default: fallback = 'allow' } = options
  const audit = options.audit && auditPolicy(options.audit)
  const reports = audit && { onReport: audit.onReport }
  const pins = options.pins && definitionPins({ ...options.pins, ...reports })
  const shared = store && { store }
  const policies = [
    audit,
    pins,
    accessRules({ default: fallback, rules, approvals: { ...shared, ...approvals }, ...reports }),
    limits.length > 0 ? callLimits({ limits, ...shared }) : undefined,
  ]
  return { policies: policies.filter((policy) => policy !== undefined), pins }
}
