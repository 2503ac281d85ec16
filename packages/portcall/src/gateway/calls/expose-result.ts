import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { mapViewUris } from '../../protocol/apps.ts'

/** Returns a URI as the gateway exposes it. */
export type ExposeUri = (uri: string) => string

/** Changes of the URIs in results. */
export interface ExposedUris {
  /** Changes the URIs of resources. */
  readonly expose: ExposeUri
  /** Changes the URIs of user interfaces. */
  readonly markApp: ExposeUri
}

/** Returns a result with the URIs that the gateway exposes. Returns the same object if it contains none. */
export function exposeResultUris(method: string, received: JsonObject, { expose, markApp }: ExposedUris): JsonObject {
  const result = exposeMeta(received, markApp)
  if (method === 'tools/call') return changeList(result, 'content', (block) => exposeBlock(exposeMeta(block, markApp), expose))
  if (method === 'resources/read') return changeList(result, 'contents', (contents) => exposeMember(contents, expose))
  if (method !== 'prompts/get') return result
  return changeList(result, 'messages', (message) => {
    if (!isObject(message.content)) return message
    const content = exposeBlock(message.content, expose)
    return content === message.content ? message : { ...message, content }
  })
}

function exposeMeta(object: JsonObject, markApp: ExposeUri): JsonObject {
  const { _meta } = object
  const changed = isObject(_meta) ? mapViewUris(_meta, markApp) : _meta
  return changed === _meta ? object : { ...object, _meta: changed }
}

function exposeBlock(block: JsonObject, expose: ExposeUri): JsonObject {
  if (block.type === 'resource_link') return exposeMember(block, expose)
  if (block.type !== 'resource' || !isObject(block.resource)) return block
  const resource = exposeMember(block.resource, expose)
  return resource === block.resource ? block : { ...block, resource }
}

function exposeMember(object: JsonObject, expose: ExposeUri): JsonObject {
  if (typeof object.uri !== 'string') return object
  const uri = expose(object.uri)
  return uri === object.uri ? object : { ...object, uri }
}

/** Changes the items of a list. Copies the list only if an item changes. */
function changeList(result: JsonObject, key: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const list = result[key]
  if (!Array.isArray(list)) return result
  let isChanged = false
  const changed = list.map((item: unknown) => {
    if (!isObject(item)) return item
    const replaced = change(item)
    if (replaced !== item) isChanged = true
    return replaced
  })
  return isChanged ? { ...result, [key]: changed } : result
}
