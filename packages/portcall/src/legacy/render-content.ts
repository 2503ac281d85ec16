import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { type Plan, withField, without } from './plan.ts'

/** What takes the place of a block that a revision does not have. */
const SUBSTITUTES: ReadonlyMap<unknown, (block: JsonObject) => JsonObject> = new Map([
  ['audio', embedAudio],
  ['resource_link', describeLink],
])

/**
 * Renders one content block of a tool result or a prompt message. A block that the revision does not have becomes one that says the same:
 * audio is embedded as a resource, a link and anything unknown become text.
 */
export function renderBlock(block: JsonObject, plan: Plan): JsonObject {
  if (plan.revision.content.includes(block.type as string)) return renderKnownBlock(block, plan)
  const substitute = SUBSTITUTES.get(block.type) ?? describe
  const { annotations } = block
  return renderKnownBlock({ ...substitute(block), ...(isObject(annotations) && { annotations }) }, plan)
}

/** Renders a block whose type the revision has. */
export function renderKnownBlock(block: JsonObject, plan: Plan): JsonObject {
  const { foreign } = plan
  const known = without(block, block.type === 'resource_link' ? foreign.link : foreign.block)
  const { resource } = known
  return renderAnnotated(isObject(resource) ? withField(known, 'resource', renderContents(resource, plan)) : known, plan)
}

/** Renders the contents of a resource. Bytes always have a type, for old clients expect one. */
export function renderContents(contents: JsonObject, { foreign }: Plan): JsonObject {
  const known = without(contents, foreign.contents)
  return typeof known.blob === 'string' && known.mimeType === undefined
    ? { ...known, mimeType: 'application/octet-stream' }
    : known
}

/** Renders the annotations of whatever has some. */
export function renderAnnotated(object: JsonObject, { foreign }: Plan): JsonObject {
  const { annotations } = object
  return isObject(annotations) ? withField(object, 'annotations', without(annotations, foreign.annotations)) : object
}

/** Any block as text: its JSON. */
export function describe(block: JsonObject): JsonObject {
  return { type: 'text', text: JSON.stringify(block) }
}

/** Each piece of audio has a name of its own, which nobody can read. */
function embedAudio({ data, mimeType }: JsonObject): JsonObject {
  return { type: 'resource', resource: { uri: `urn:uuid:${crypto.randomUUID()}`, mimeType, blob: data } }
}

function describeLink({ name, uri, title, description, mimeType }: JsonObject): JsonObject {
  const more = [title, description, mimeType].filter((part) => typeof part === 'string' && part !== '')
  return { type: 'text', text: [`${String(name)}: ${String(uri)}`, ...more].join('\n') }
}
