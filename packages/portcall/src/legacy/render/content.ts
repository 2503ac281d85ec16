import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { copyFieldsExcept, type DowngradePlan, mapItems, omitFields, omitReservedMeta, withViewMeta } from './downgrade-plan.ts'
import { mapField } from './fields.ts'

/** Replacements for the types of content blocks that some revisions do not define. */
const SUBSTITUTES: ReadonlyMap<unknown, (block: JsonObject) => JsonObject> = new Map([
  ['audio', embedAudio],
  ['resource_link', describeLink],
])

const NO_BLOCKS: readonly JsonObject[] = []

/**
 * Renders the result of `tools/call`. If the revision has no structured content, the value is repeated as a text block. If the revision
 * requires an object, other values are wrapped as `{ "result": value }`, which is what the rendered output schema describes.
 */
export function renderToolResult(result: JsonObject, plan: DowngradePlan): JsonObject {
  const { content, isError, structuredContent, _meta } = result
  const { keepsStructuredContent } = plan
  const textOnly = plan.revision.structuredContent === 'none'
  const blocks = mapItems(Array.isArray(content) ? content : NO_BLOCKS, renderBlock, plan)
  const meta = _meta === undefined ? undefined : omitReservedMeta(_meta)
  const rendered: JsonObject = {
    content: textOnly ? withText(blocks, keepsStructuredContent ? undefined : structuredContent) : blocks,
    isError: isError === true,
  }
  if (structuredContent !== undefined && (!textOnly || keepsStructuredContent))
    rendered.structuredContent = wrapNonObject(structuredContent)
  if (meta) rendered._meta = meta
  return copyFieldsExcept(result, plan.uncopiedToolResultFields, rendered)
}

/** Returns an object unchanged, and any other value as `{ result: value }`. */
export function wrapNonObject(value: unknown): JsonObject {
  return isObject(value) ? value : { result: value }
}

/** Returns at least one block. Appends the structured value as JSON text unless a block contains it already. */
function withText(blocks: readonly JsonObject[], value: unknown): readonly JsonObject[] {
  if (value === undefined) return blocks.length > 0 ? blocks : [{ type: 'text', text: '' }]
  const json = JSON.stringify(value)
  return blocks.some(({ text }) => typeof text === 'string' && isSameJson(text, json))
    ? blocks
    : [...blocks, { type: 'text', text: json }]
}

/** Reports whether a text is this JSON, apart from white space. */
function isSameJson(text: string, json: string): boolean {
  if (text === json) return true
  if (text.length < json.length || text[0] !== json[0]) return false
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

/**
 * Renders a content block of a tool result, a prompt message or a sampling message. A block whose type is not in `types` is replaced by
 * an equivalent one: audio becomes an embedded resource; links and unknown types become text.
 *
 * @param types the types that the revision allows at this place. Default: those of tool results and prompt messages.
 */
export function renderBlock(
  block: JsonObject,
  plan: DowngradePlan,
  types: readonly string[] = plan.revision.content,
): JsonObject {
  const { omit } = plan
  const allowed = types.includes(block.type as string) ? block : substitute(block)
  let rendered = omitFields(allowed, allowed.type === 'resource_link' ? omit.link : omit.block)
  if (rendered.resource) rendered = mapField(rendered, 'resource', (resource) => renderResourceContents(resource, plan))
  return rendered.annotations === undefined ? rendered : renderAnnotations(rendered, plan)
}

function substitute(block: JsonObject): JsonObject {
  const { annotations } = block
  const replacement = (SUBSTITUTES.get(block.type) ?? describeBlock)(block)
  return isObject(annotations) ? { ...replacement, annotations } : replacement
}

/** Renders the contents of a resource. Binary contents always have a MIME type, because older clients require one. */
export function renderResourceContents(contents: JsonObject, { omit }: DowngradePlan): JsonObject {
  const rendered = withViewMeta(omitFields(contents, omit.contents), contents)
  return typeof rendered.blob === 'string' && rendered.mimeType === undefined
    ? { ...rendered, mimeType: 'application/octet-stream' }
    : rendered
}

/** Renders the annotations of an object, if it has any. */
export function renderAnnotations(object: JsonObject, { omit }: DowngradePlan): JsonObject {
  return mapField(object, 'annotations', (annotations) => omitFields(annotations, omit.annotations))
}

/** Returns a text block with the JSON of a block. */
export function describeBlock(block: JsonObject): JsonObject {
  return { type: 'text', text: JSON.stringify(block) }
}

/** The URI is a random identifier that `resources/read` does not resolve. */
function embedAudio({ data, mimeType }: JsonObject): JsonObject {
  return { type: 'resource', resource: { uri: `urn:uuid:${crypto.randomUUID()}`, mimeType, blob: data } }
}

function describeLink({ name, uri, title, description, mimeType }: JsonObject): JsonObject {
  const details = [title, description, mimeType].filter((detail) => typeof detail === 'string' && detail !== '')
  return { type: 'text', text: [`${String(name)}: ${String(uri)}`, ...details].join('\n') }
}
