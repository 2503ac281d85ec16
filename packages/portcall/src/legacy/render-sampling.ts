import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import { mapItems, type Plan, withField, without } from './plan.ts'
import { describe, renderBlock, renderKnownBlock } from './render-content.ts'
import { renderTool } from './render-entity.ts'
import { wrapValue } from './render-tool-result.ts'

const KNOWN_CONTENT = new Set<unknown>(REVISIONS.flatMap(({ sampling }) => sampling.content))

/**
 * Renders a question to the model of the client. A message of several blocks becomes several messages where a message has one; `undefined`
 * when the revision has no tools for the model, or no such content: what a model is asked is not made up.
 */
export function renderSampling(params: JsonObject, plan: Plan): JsonObject | undefined {
  const { revision, foreign } = plan
  const { tools } = params
  const messages: JsonObject[] = Array.isArray(params.messages) ? params.messages : []
  const known = without(params, foreign.samplingRequest)
  if (Array.isArray(tools) && tools.length > 0 && !('tools' in known)) return undefined
  if (!messages.every((message) => canSay(message, revision))) return undefined
  const rendered: JsonObject = { ...known, messages: messages.flatMap((message) => renderMessage(message, plan)) }
  return Array.isArray(known.tools) ? { ...rendered, tools: mapItems(known.tools, renderTool, plan) } : rendered
}

function canSay({ content }: JsonObject, { sampling }: Revision): boolean {
  return blocksOf(content).every(({ type }) => sampling.content.includes(type as string) || !KNOWN_CONTENT.has(type))
}

function renderMessage(message: JsonObject, plan: Plan): JsonObject | JsonObject[] {
  const known = without(message, plan.foreign.samplingMessage)
  const blocks = blocksOf(message.content).map((block) => renderSamplingBlock(block, plan))
  if (!Array.isArray(message.content)) return { ...known, content: blocks[0] }
  return plan.revision.sampling.arrays ? { ...known, content: blocks } : blocks.map((content) => ({ ...known, content }))
}

function renderSamplingBlock(block: JsonObject, plan: Plan): JsonObject {
  if (!KNOWN_CONTENT.has(block.type)) return describe(block)
  if (block.type !== 'tool_result') return renderKnownBlock(block, plan)
  const content = Array.isArray(block.content) ? mapItems(block.content, renderBlock, plan) : []
  const rendered = withField(block, 'content', content)
  return block.structuredContent === undefined
    ? rendered
    : withField(rendered, 'structuredContent', wrapValue(block.structuredContent))
}

/** Reads what the model said: fields that are null are absent, a block without a type but with text is text. */
export function readSample(result: JsonObject): JsonObject {
  const read = Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null))
  if (Array.isArray(read.content)) return { ...read, content: read.content.map(readBlock) }
  return withField(read, 'content', readBlock(read.content))
}

function readBlock(block: unknown): unknown {
  return isObject(block) && block.type === undefined && typeof block.text === 'string' ? { ...block, type: 'text' } : block
}

function blocksOf(content: unknown): JsonObject[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content]
  return blocks.filter(isObject)
}
