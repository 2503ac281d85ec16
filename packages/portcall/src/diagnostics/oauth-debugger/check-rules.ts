import type { AuthFacts, AuthRule, AuthStepId, RuleResult } from './types.ts'

/** Checks the rules of a step against what was observed. Rules that nothing was observed for are left out. */
export function checkRules(rules: readonly AuthRule[], facts: AuthFacts, step: AuthStepId): RuleResult[] {
  return rules
    .filter((rule) => rule.step === step)
    .flatMap((rule) => {
      const violation = rule.check(facts)
      if (violation === null) return []
      const { id, title, section, severity } = rule
      const verdict = violation === undefined ? 'passed' : severity === 'error' ? 'failed' : 'warning'
      return [{ rule: id, step, title, section, verdict, ...violation } satisfies RuleResult]
    })
}
