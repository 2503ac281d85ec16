import { isObject, type JsonObject } from '../jsonrpc/message.ts'

const encoder = new TextEncoder()

/** Returns the size of a value as JSON, in bytes of UTF-8. */
export function sizeOfJson(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).byteLength
}

/**
 * Returns the result of a tool with as much of its text as fits, and a note at the end. Blocks other than text are kept whole or left out.
 * Returns `undefined` if the result cannot be cut: structured content is valid only as a whole.
 */
export function cutResult(result: JsonObject, maxBytes: number): JsonObject | undefined {
  const { content, structuredContent } = result
  if (!Array.isArray(content) || structuredContent !== undefined) return undefined
  const note = { type: 'text', text: `[The result was cut: it has ${sizeOfJson(result)} bytes, and the limit is ${maxBytes}]` }
  let room = maxBytes - sizeOfJson({ ...result, content: [note] })
  if (room < 0) return undefined
  const kept: unknown[] = []
  for (const block of content as unknown[]) {
    const size = sizeOfJson(block) + 1
    const fitting = size <= room ? block : cutBlock(block, room - 1)
    if (fitting === undefined) continue
    room -= sizeOfJson(fitting) + 1
    kept.push(fitting)
    if (fitting !== block) break
  }
  return { ...result, content: [...kept, note] }
}

/** Cuts a text block. Returns `undefined` if nothing fits. */
function cutBlock(block: unknown, maxBytes: number): JsonObject | undefined {
  if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') return undefined
  const { text } = block
  let fitting = 0
  let tooLong = Math.min(text.length, maxBytes) + 1
  while (tooLong - fitting > 1) {
    const middle = (fitting + tooLong) >> 1
    if (sizeOfJson({ ...block, text: text.slice(0, middle) }) <= maxBytes) fitting = middle
    else tooLong = middle
  }
  const isHighSurrogate = /[\uD800-\uDBFF]$/.test(text.slice(0, fitting))
  const end = isHighSurrogate ? fitting - 1 : fitting
  return end > 0 ? { ...block, text: text.slice(0, end) } : undefined
}
