import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { type ApprovalOptions, createCallApprovals } from './approvals.ts'
import { isNamedKind } from './item-kinds.ts'
import { createRuleMatcher, type RuleMatcher } from './match-rule.ts'
import { refuseCall } from './refuse-call.ts'
import type { OnPolicyReport, PolicyOutcome } from './report.ts'
import { type AccessRule, checkRule, type RuleAction } from './rule.ts'
import type { GatewayCall, GatewayCaller, GatewayItem, GatewayPolicy, PolicyDecision } from './types.ts'

/** Options of `accessRules`. */
export interface AccessRulesOptions {
  /** The action for requests that no rule matches. */
  readonly default: RuleAction
  /** The rules. Their order does not matter: of the rules that match, the strictest decides. */
  readonly rules: readonly AccessRule[]
  /** The approval of calls. */
  readonly approvals?: ApprovalOptions
  /** Receives the decisions; `auditPolicy` has such a function. */
  readonly onReport?: OnPolicyReport
}

/** The decision of the rules, and the rule that made it. */
interface Verdict {
  readonly action: RuleAction
  readonly rule: string
}

const STRICTNESS: { readonly [action in RuleAction]: number } = { allow: 0, approve: 1, deny: 2 }
/** The methods that an approval is needed for: those that run something or return contents. */
const APPROVED_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

const NAMES: OptionNames<AccessRulesOptions> = {
  default: ['allow', 'approve', 'deny'],
  rules: 'array',
  approvals: 'object',
  onReport: 1,
}
const REQUIRED = {
  default: 'Pass what happens to requests that no rule matches: "allow", "approve" or "deny"',
  rules: 'Pass an array, which may be empty',
}

/**
 * Creates a policy from rules. Of the rules that match a request, the strictest decides: `deny` before `approve` before `allow`. If none
 * matches, the default decides. Rules with `annotations` can only make this decision stricter, since servers may declare anything.
 *
 * An item that is denied is not listed, and requests for it are answered as if it did not exist. So are requests for tools and prompts that their
 * server does not list, because the rules cannot judge them. An item that is denied only with some arguments is listed; such a call fails.
 *
 * @example
 * accessRules({ default: 'allow', rules: [{ tools: 'crm__delete*', do: 'approve', unless: { scopes: 'crm:admin' } }] })
 *
 * @throws TypeError if a rule is invalid.
 */
export function accessRules(options: AccessRulesOptions): GatewayPolicy {
  checkOptions('accessRules()', options, { names: NAMES, required: REQUIRED })
  const { rules, onReport } = options
  const matchers = rules.map((rule: unknown, index) => {
    checkRule(rule, `rule ${index + 1}`)
    return createRuleMatcher(rule, `rule ${index + 1}`)
  })
  const fallback: Verdict = { action: options.default, rule: 'default' }
  const approvals = createCallApprovals(options.approvals)
  const judge = createJudge(matchers, fallback)

  const report = ({ request }: GatewayCaller, item: GatewayItem, [outcome, rule]: readonly [PolicyOutcome, string]): void => {
    if (request) onReport?.({ request, item, outcome, rule })
  }
  const approve = async (call: GatewayCall, rule: string): Promise<PolicyDecision> => {
    const { decision, outcome } = await approvals.decide(call, rule)
    report(call.caller, call, [outcome, rule])
    return decision
  }
  return {
    visible(item, caller) {
      const isUnknown = rules.length > 0 && !item.definition && isNamedKind(item.kind)
      const { action, rule } = judge.item(item, caller)
      if (action !== 'deny' && !isUnknown) return true
      report(caller, item, ['denied', action === 'deny' ? rule : 'not listed'])
      return false
    },
    async decide(call) {
      const hasArguments = isNamedKind(call.kind) && call.method !== 'completion/complete'
      const { action, rule } = hasArguments ? judge.call(call) : judge.item(call, call.caller)
      if (action === 'approve' && APPROVED_METHODS.has(call.method)) return approve(call, rule)
      // Polls and streams have no round trip in which somebody could approve them.
      const isRefused = action === 'deny' || (action === 'approve' && call.kind === 'event')
      report(call.caller, call, [isRefused ? 'denied' : 'allowed', rule])
      return isRefused ? refuseCall(call, 'The policy does not allow this call with these arguments') : 'allow'
    },
  }
}

/** Applies the rules to items, whose arguments are not known, and to calls. */
interface Judge {
  /** Returns the decision about an item: `deny` only if it is denied with any arguments. */
  item(item: GatewayItem, caller: GatewayCaller): Verdict
  call(call: GatewayCall): Verdict
}

function createJudge(matchers: readonly RuleMatcher[], fallback: Verdict): Judge {
  const strictest = (matching: readonly RuleMatcher[], otherwise: Verdict): Verdict => {
    let verdict: Verdict | undefined
    for (const { action, name } of matching)
      if (!verdict || STRICTNESS[action] > STRICTNESS[verdict.action]) verdict = { action, rule: name }
    return verdict ?? otherwise
  }
  /** The hints of a tool can make the decision of the other rules, or the default, only stricter. */
  const decide = (matching: readonly RuleMatcher[]): Verdict => {
    const verdict = strictest(
      matching.filter(({ usesHints }) => !usesHints),
      fallback,
    )
    const byHints = strictest(
      matching.filter(({ usesHints }) => usesHints),
      verdict,
    )
    return STRICTNESS[byHints.action] > STRICTNESS[verdict.action] ? byHints : verdict
  }
  return {
    item(item, caller) {
      const matching = matchers.filter((matcher) => matcher.matchesItem(item, caller))
      return decide(matching.filter(({ isConditional, action }) => !(isConditional && action === 'deny')))
    },
    call: (call) =>
      decide(matchers.filter((matcher) => matcher.matchesItem(call, call.caller) && matcher.matchesArguments(call.args))),
  }
}
