import type { RuleViolation } from '../protocol/timeline.ts'
import type { TappedResponseHead } from '../wire/http-tap.ts'
import type { RuleChecker } from './checker.ts'
import { HEAD_RULES } from './http-rules.ts'
import { MESSAGE_RULES } from './message-rules.ts'

/** The rules of one connection. */
export interface ConnectionRules extends RuleChecker {
  /** Checks the head of a response. */
  checkHead(head: TappedResponseHead): readonly RuleViolation[]
}

/** Creates the rules of a connection. `revision` returns the negotiated revision, once it is known. */
export type RuleCheckerFactory = (revision: () => string | undefined) => ConnectionRules

/** Creates the rules of a connection. Only what a server sends is checked. */
export const createRuleChecker: RuleCheckerFactory = (revision) => ({
  checkMessage: (facts) => (facts.direction === 'out' ? [] : MESSAGE_RULES.flatMap((rule) => rule(facts, revision()) ?? [])),
  checkHead: (head) => HEAD_RULES.flatMap((rule) => rule(head, revision()) ?? []),
})
