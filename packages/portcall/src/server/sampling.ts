import type { CreateMessageParams, SamplingContent, SamplingMessage } from '../protocol/types.ts'

const PRIORITIES = ['costPriority', 'speedPriority', 'intelligencePriority'] as const

/**
 * Checks what is about to be asked of a model: priorities are between 0 and 1, and each use of a tool is answered in the very next
 * message, which holds nothing else.
 * https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 *
 * @throws TypeError, for the mistake is the author's.
 */
export function checkSampling({ messages, modelPreferences = {} }: CreateMessageParams): void {
  for (const name of PRIORITIES) checkPriority(name, modelPreferences[name])
  let open: readonly string[] = []
  for (const message of messages) {
    const blocks = blocksOf(message)
    const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []))
    if (answered.length > 0 && answered.length < blocks.length)
      throw new TypeError('A message with tool results holds nothing else')
    if (!sameItems(open, answered)) throw new TypeError('Each tool_use needs its tool_result in the next message, and no other')
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  }
  if (open.length > 0) throw new TypeError('Each tool_use needs its tool_result in the next message')
}

/** @throws RangeError when a priority is not between 0 and 1. */
export function checkPriority(name: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 0 && value <= 1)) throw new RangeError(`${name} has to be between 0 and 1`)
}

function blocksOf({ content }: SamplingMessage): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content]
}

function sameItems(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((item) => right.includes(item))
}
