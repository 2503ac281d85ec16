import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { REVISIONS, type Revision } from '../../protocol/revisions.ts'
import { describeBlock, renderBlock, wrapNonObject } from './content.ts'
import { renderTool } from './definitions.ts'
import { type DowngradePlan, mapItems, omitFields } from './downgrade-plan.ts'
import { withField, withoutNulls } from './fields.ts'

/** The content types of sampling messages, over all revisions. */
const KNOWN_TYPES = new Set<unknown>(REVISIONS.flatMap(({ sampling }) => sampling.content))

/**
 * Renders the params of `sampling/createMessage`. A message with several blocks becomes several messages if the revision allows one block
 * per message. Returns `undefined` if the request uses tools or content types that the revision does not define: omitting them would
 * change the prompt.
 */
export function renderSamplingParams(params: JsonObject, plan: DowngradePlan): JsonObject | undefined {
  const { revision, omit } = plan
  const { tools } = params
  const messages: JsonObject[] = Array.isArray(params.messages) ? params.messages : []
  const known = omitFields(params, omit.samplingRequest)
  if (Array.isArray(tools) && tools.length > 0 && !('tools' in known)) return undefined
  if (!messages.every((message) => isSupported(message, revision))) return undefined
  const rendered: JsonObject = { ...known, messages: messages.flatMap((message) => renderMessage(message, plan)) }
  return Array.isArray(known.tools) ? { ...rendered, tools: mapItems(known.tools, renderTool, plan) } : rendered
}

function isSupported({ content }: JsonObject, { sampling }: Revision): boolean {
  return blocksOf(content).every(({ type }) => sampling.content.includes(type as string) || !KNOWN_TYPES.has(type))
}

function renderMessage(message: JsonObject, plan: DowngradePlan): JsonObject | JsonObject[] {
  const known = omitFields(message, plan.omit.samplingMessage)
  const blocks = blocksOf(message.content).map((block) => renderSamplingBlock(block, plan))
  if (!Array.isArray(message.content)) return { ...known, content: blocks[0] }
  return plan.revision.sampling.multipleBlocks ? { ...known, content: blocks } : blocks.map((content) => ({ ...known, content }))
}

function renderSamplingBlock(block: JsonObject, plan: DowngradePlan): JsonObject {
  if (!KNOWN_TYPES.has(block.type)) return describeBlock(block)
  if (block.type !== 'tool_result') return renderBlock(block, plan, plan.revision.sampling.content)
  const content = Array.isArray(block.content) ? mapItems(block.content, renderBlock, plan) : []
  const rendered = withField(block, 'content', content)
  return block.structuredContent === undefined
    ? rendered
    : withField(rendered, 'structuredContent', wrapNonObject(block.structuredContent))
}

/** Reads the result of `sampling/createMessage`: `null` fields are absent, and a block without a type but with text is a text block. */
export function readSamplingResult(result: JsonObject): JsonObject {
  const read = withoutNulls(result)
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
