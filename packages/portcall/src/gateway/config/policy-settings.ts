import type { KeyValueStore } from '../../stores/store.ts'
import type { ApprovalRequest } from '../policy/approval-queue.ts'
import type { CallLimit } from '../policy/call-limits.ts'
import type { DefinitionChange } from '../policy/describe-change.ts'
import type { NarrowViewsOptions } from '../policy/narrow-views.ts'
import type { PinnedKind } from '../policy/pin-lock.ts'
import type { AccessRule, RuleAction } from '../policy/rule.ts'

/** The approval of calls. */
export interface GatewayApprovalSettings {
  /** Asks the user of the client, if the client supports forms. Default: true. */
  readonly askUser?: boolean
  /** Lets calls that the user is not asked about wait in a queue. Default: true. */
  readonly queue?: boolean
  /** Time for the user to answer, in milliseconds. Default: 5 minutes. */
  readonly ttlMs?: number
  /** Lifetime of a queued call, and of the decision about it, in milliseconds. Default: 1 hour. */
  readonly queueTtlMs?: number
}

/** The rules of a gateway. */
export interface GatewayRuleSettings {
  /** The action for requests that no rule matches. */
  readonly default: RuleAction
  /** The rules. Default: none. */
  readonly rules?: readonly AccessRule[]
  /** The approval of calls. */
  readonly approvals?: GatewayApprovalSettings
}

/** The pinning of definitions. */
export interface GatewayPinSettings {
  /** `block` withholds what differs from the pins; `warn` only reports it. Default: `block`. */
  readonly mode?: 'block' | 'warn'
  /** The lock file, or `store`. Default: `portcall.lock`. */
  readonly lock?: string
  /** The treatment of a server without pins. Default: `pin`. */
  readonly firstUse?: 'pin' | 'withhold'
  /** The kinds of definitions to pin. Default: all. */
  readonly kinds?: readonly PinnedKind[]
}

/** The audit log of a gateway. */
export interface GatewayAuditSettings {
  /** The file, or `store`. */
  readonly file: string
  /** Records the arguments, without secrets. Default: false. */
  readonly arguments?: boolean
  /** Further secrets to remove. */
  readonly redact?: {
    /** Names of fields whose values are secrets. */
    readonly fields?: readonly string[]
    /** Regular expressions of secrets in text. */
    readonly patterns?: readonly string[]
  }
  /** The treatment of a request that cannot be recorded. Default: `refuse`. */
  readonly onFailure?: 'refuse' | 'continue'
}

/** The keys of the `gateway` section for policies: rules, pins, limits, the audit log, and the limits of views. */
export interface GatewayPolicySettings {
  /** The rules. */
  readonly policy?: GatewayRuleSettings
  /** The pinned definitions. */
  readonly pins?: 'block' | 'warn' | 'off' | GatewayPinSettings
  /** The limits. */
  readonly limits?: readonly CallLimit[]
  /** The audit log: a file, or its settings. */
  readonly audit?: string | GatewayAuditSettings
  /** The origins and browser features that views may declare. */
  readonly views?: NarrowViewsOptions
}

/** The environment of configured policies. */
export interface PolicyContext {
  /** The directory of the configuration, where relative paths start. */
  readonly directory?: string | undefined
  /** The key-value store of the gateway. Default: in memory. */
  readonly store?: KeyValueStore | undefined
  /** The store of rates and approvals without `store`. Pass the same for settings that replace others. Default: a new one. */
  readonly memory?: KeyValueStore | undefined
  /** Receives each change of a pinned definition, once. */
  readonly onChange?: (change: DefinitionChange) => void
  /** Receives each call that is added to the approval queue. */
  readonly onQueued?: (request: ApprovalRequest) => void
  /** Receives errors of the lock file and of the audit log. */
  readonly onError?: (error: unknown) => void
}
