import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { createStoredAuditLog } from '../../middleware/audit/stored-audit-log.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { type ApprovalQueue, createApprovalQueue } from '../policy/approval-queue.ts'
import type { AuditPolicyOptions } from '../policy/audit-policy.ts'
import type { DefinitionPins, DefinitionPinsOptions } from '../policy/definition-pins.ts'
import { type GatewayPoliciesOptions, gatewayPolicies } from '../policy/gateway-policies.ts'
import { narrowViews } from '../policy/narrow-views.ts'
import type { GatewayPolicy } from '../policy/types.ts'
import type { GatewayAuditSettings, GatewayPinSettings, GatewayPolicySettings, PolicyContext } from './policy-settings.ts'

/** The policies of a configuration. */
export interface ConfiguredPolicies {
  /** The policies. Pass them to `createGateway` as `policy`. */
  readonly policies: readonly GatewayPolicy[]
  /** The calls that wait for an approval. Absent if none can. */
  readonly approvals: ApprovalQueue | undefined
  /** The pinned definitions, if there are any. */
  readonly pins: DefinitionPins | undefined
}

/** The lock file that is used without another. */
const LOCK = 'portcall.lock'
/** Keeps pins, or the audit log, in the store of the gateway. */
const IN_STORE = 'store'

/**
 * Creates the policies of a configuration. All of them are created together, so that the audit log has their decisions.
 *
 * @throws TypeError or RangeError if a setting is invalid.
 */
export function createConfiguredPolicies(settings: GatewayPolicySettings, context: PolicyContext = {}): ConfiguredPolicies {
  const { policy, limits, audit } = settings
  const store = context.store ?? context.memory
  const { askUser, queue = true, ttlMs, queueTtlMs } = policy?.approvals ?? {}
  const asks = policy !== undefined && [policy.default, ...(policy.rules ?? []).map((rule) => rule.do)].includes('approve')
  const approvals =
    asks && queue ? createApprovalQueue(withoutUndefined({ store, ttlMs: queueTtlMs, onQueued: context.onQueued })) : undefined
  const approvalOptions = withoutUndefined({ askUser, ttlMs, approver: approvals })
  const pins = pinOptionsOf(settings.pins, context)
  const options: GatewayPoliciesOptions = {
    ...(policy && { default: policy.default, rules: policy.rules ?? [], approvals: approvalOptions }),
    ...withoutUndefined({ pins, limits }),
    ...(audit !== undefined && { audit: auditOf(typeof audit === 'string' ? { file: audit } : audit, context) }),
    ...(store && { store }),
  }
  const views = settings.views ? [viewPolicyOf(settings.views)] : []
  const { views: _, ...others } = settings
  if (Object.keys(others).length === 0) return { policies: views, approvals: undefined, pins: undefined }
  const { policies, pins: recorded } = gatewayPolicies(options)
  return { policies: [...policies, ...views], pins: recorded, approvals }
}

/** Returns the policy of views. A server of the configuration may be unusable: its name is right, but the gateway has no such server. */
function viewPolicyOf(settings: NonNullable<GatewayPolicySettings['views']>): GatewayPolicy {
  const { servers: _, ...policy } = narrowViews(settings)
  return policy
}

/**
 * Returns the options of the pins of a configuration. `undefined` if it pins nothing.
 *
 * @throws TypeError if the pins are in the store of a gateway without one.
 */
export function pinOptionsOf(
  settings: GatewayPolicySettings['pins'],
  context: PolicyContext = {},
): DefinitionPinsOptions | undefined {
  if (settings === undefined || settings === 'off') return undefined
  const { lock = LOCK, ...others }: GatewayPinSettings = typeof settings === 'string' ? { mode: settings } : settings
  const { onChange, onError } = context
  return {
    ...others,
    lock: lock === IN_STORE ? storeOf('pins.lock', context) : resolvePath(lock, context),
    ...withoutUndefined({ onChange, onError }),
  }
}

/** @throws TypeError if the gateway has no store. */
function storeOf(key: string, { store }: PolicyContext): KeyValueStore {
  if (!store) throw new TypeError(`gateway.${key} is "store", but gateway.store is missing`)
  return store
}

function auditOf({ file, redact, onFailure, ...settings }: GatewayAuditSettings, context: PolicyContext): AuditPolicyOptions {
  const { fields, patterns } = redact ?? {}
  return {
    to: file === IN_STORE ? createStoredAuditLog(storeOf('audit.file', context)) : resolvePath(file, context),
    ...(settings.arguments !== undefined && { arguments: settings.arguments }),
    ...(redact && {
      redact: { ...(fields && { fields }), ...(patterns && { patterns: patterns.map((pattern) => new RegExp(pattern, 'g')) }) },
    }),
    ...withoutUndefined({ onFailure, onError: context.onError }),
  }
}

const ABSOLUTE = /^([/\\]|[a-z]:[/\\])/i

function resolvePath(path: string, { directory }: PolicyContext): string {
  return directory === undefined || ABSOLUTE.test(path) ? path : `${directory}/${path}`
}
