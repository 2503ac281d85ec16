import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { Plan } from './plan.ts'
import { mapItems, withLegacyMeta, without } from './plan.ts'

type Degrade = (block: JsonObject) => JsonObject

/** What takes the place of a block that a revision does not have. */
const SUBSTITUTES: ReadonlyMap<unknown, Degrade> = new Map<unknown, Degrade>([
  ['audio', embedAudio],
  ['resource_link', describeLink],
])

/** Renders one content block of a tool result or a prompt message. A block that the revision does not have becomes one that says the same. */
export function renderBlock(block: JsonObject, plan: Plan): JsonObject {
  if (!plan.revision.content.includes(block.type as string)) {
    const substitute = (SUBSTITUTES.get(block.type) ?? describe)(block)
    return renderKnown(isObject(block.annotations) ? { ...substitute, annotations: block.annotations } : substitute, plan)
  }
  return renderKnown(block, plan)
}

function renderKnown(block: JsonObject, plan: Plan): JsonObject {
  const { foreign } = plan
  let rendered = without(block, block.type === 'resource_link' ? foreign.link : foreign.block)
  if (isObject(rendered.resource)) {
    const resource = renderContents(rendered.resource, plan)
    if (resource !== rendered.resource) rendered = { ...rendered, resource }
  }
  return renderAnnotated(rendered, plan)
}

/** Renders the contents of a resource. */
export function renderContents(contents: JsonObject, { foreign }: Plan): JsonObject {
  const known = without(contents, foreign.contents)
  return 'blob' in known && known.mimeType === undefined ? { ...known, mimeType: 'application/octet-stream' } : known
}

/** Renders the annotations of whatever has some. */
export function renderAnnotated(object: JsonObject, { foreign }: Plan): JsonObject {
  if (!isObject(object.annotations)) return object
  const annotations = without(object.annotations, foreign.annotations)
  return annotations === object.annotations ? object : { ...object, annotations }
}

/**
 * Renders the result of a tool. Structured content that the revision does not have stays readable as a text block; where it has to be an
 * object, other values are wrapped as `{ "result": value }`, like the output schema.
 */
export function renderToolResult(result: JsonObject, plan: Plan): JsonObject {
  const { foreign, revision } = plan
  const known = withLegacyMeta(without(without(result, foreign.toolResult), foreign.result))
  const given: JsonObject[] = Array.isArray(known.content) ? known.content : []
  const content = [...mapItems<JsonObject, Plan>(given, renderBlock, plan)]
  const rendered: JsonObject = { ...known, content, isError: known.isError === true }
  if (revision.structuredContent === 'none') {
    if (result.structuredContent !== undefined) ensureText(content, result.structuredContent)
    if (content.length === 0) content.push({ type: 'text', text: '' })
  } else if (result.structuredContent !== undefined && !isObject(result.structuredContent)) {
    rendered.structuredContent = { result: result.structuredContent }
  }
  return rendered
}

function ensureText(content: JsonObject[], value: unknown): void {
  const text = JSON.stringify(value)
  if (!content.some((block) => typeof block.text === 'string' && says(block.text, text))) content.push({ type: 'text', text })
}

function says(text: string, json: string): boolean {
  if (text === json) return true
  if (text.length < json.length || text[0] !== json[0]) return false
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}

function embedAudio({ data, mimeType }: JsonObject): JsonObject {
  return { type: 'resource', resource: { uri: 'portcall:audio', mimeType, blob: data } }
}

function describeLink({ name, uri, title, description, mimeType }: JsonObject): JsonObject {
  const more = [title, description, mimeType].filter((part) => typeof part === 'string' && part !== '')
  return { type: 'text', text: [`${String(name)}: ${String(uri)}`, ...more].join('\n') }
}

function describe(block: JsonObject): JsonObject {
  return { type: 'text', text: JSON.stringify(block) }
}
