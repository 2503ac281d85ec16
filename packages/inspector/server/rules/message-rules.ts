import type { MessageRule } from './checker.ts'
import { CONVERSATION_RULES } from './conversation-rules.ts'
import { JSON_RPC_RULES } from './json-rpc-rules.ts'
import { inputRequests, resultRules } from './result-rules.ts'

/** All rules of messages. */
export const MESSAGE_RULES: readonly MessageRule[] = [...JSON_RPC_RULES, ...CONVERSATION_RULES, resultRules, inputRequests]
