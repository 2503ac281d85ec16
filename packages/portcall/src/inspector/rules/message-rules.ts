import type { RuleViolation } from '../protocol/timeline.ts'
import type { MessageFacts } from './checker.ts'

/** Returns what is wrong with a message, if anything is. */
export type MessageRule = (
  facts: MessageFacts,
  revision: string | undefined,
) => RuleViolation | readonly RuleViolation[] | undefined

export const MESSAGE_RULES: readonly MessageRule[] = []
