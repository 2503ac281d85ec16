import type { CreateMessageParams, SamplingContent, SamplingMessage } from '../../protocol/input-types.ts'

const PRIORITIES = ['costPriority', 'speedPriority', 'intelligencePriority'] as const

/**
 * Checks the params of a sampling request: priorities are between 0 and 1, and every tool use has its result in the next message, which
 * contains nothing else. https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 *
 * @throws RangeError when a priority is out of range; TypeError when tool uses and results do not match.
 */
export function checkSampling({ messages, modelPreferences = {} }: CreateMessageParams): void {
  for (const name of PRIORITIES) checkPriority(name, modelPreferences[name])
  let toolUses: readonly string[] = []
  for (const message of messages) {
    const blocks = blocksOf(message)
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []))
    if (results.length > 0 && results.length < blocks.length)
      throw new TypeError('A message with tool results must contain nothing else')
    if (!haveSameItems(toolUses, results))
      throw new TypeError('Each tool_use needs its tool_result in the next message, and no other')
    toolUses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  }
  if (toolUses.length > 0) throw new TypeError('Each tool_use needs its tool_result in the next message')
}

/** @throws RangeError when a priority is not between 0 and 1. */
export function checkPriority(name: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 0 && value <= 1)) throw new RangeError(`${name} must be between 0 and 1`)
}

function blocksOf({ content }: SamplingMessage): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content]
}

function haveSameItems(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item))
}
