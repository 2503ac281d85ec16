import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { copyWithout, legacyMeta, mapItems, type Plan } from './plan.ts'
import { renderBlock } from './render-content.ts'

const NOTHING: readonly JsonObject[] = []

/**
 * Renders the result of a tool. Structured content that the revision does not have stays readable as a text block; where it has to be an
 * object, other values are wrapped as `{ "result": value }`, which is what the rendered output schema says too.
 */
export function renderToolResult(result: JsonObject, plan: Plan): JsonObject {
  const { content, isError, structuredContent } = result
  const textOnly = plan.revision.structuredContent === 'none'
  const blocks = mapItems(Array.isArray(content) ? content : NOTHING, renderBlock, plan)
  const meta = legacyMeta(result._meta)
  const rendered: JsonObject = { content: textOnly ? withText(blocks, structuredContent) : blocks, isError: isError === true }
  if (structuredContent !== undefined && !textOnly) rendered.structuredContent = wrapValue(structuredContent)
  if (meta) rendered._meta = meta
  return copyWithout(result, plan.toolResult, rendered)
}

/** Makes a structured value an object; an object stays what it is. */
export function wrapValue(value: unknown): JsonObject {
  return isObject(value) ? value : { result: value }
}

/** The blocks, with one that says the value when none does yet, and never empty. */
function withText(blocks: readonly JsonObject[], value: unknown): readonly JsonObject[] {
  if (value === undefined) return blocks.length > 0 ? blocks : [{ type: 'text', text: '' }]
  const json = JSON.stringify(value)
  return blocks.some(({ text }) => typeof text === 'string' && says(text, json))
    ? blocks
    : [...blocks, { type: 'text', text: json }]
}

/** Tells whether a text is this JSON, perhaps with other white space. */
function says(text: string, json: string): boolean {
  if (text === json) return true
  if (text.length < json.length || text[0] !== json[0]) return false
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}
