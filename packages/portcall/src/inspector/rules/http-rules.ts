import type { RuleViolation } from '../protocol/timeline.ts'
import type { TappedResponseHead } from '../wire/http-tap.ts'

/** Returns what is wrong with the head of a response, if anything is. */
export type HeadRule = (head: TappedResponseHead, revision: string | undefined) => RuleViolation | undefined

export const HEAD_RULES: readonly HeadRule[] = []
