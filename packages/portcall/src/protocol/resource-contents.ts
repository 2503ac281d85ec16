import { isTextType } from '../../../util/src/media-type.ts'
import { isObject, isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'

/**
 * Returns contents of a resource with exactly one of `text` and `blob`. A peer may leave out the member because it is empty, as Go's
 * serializers do, or write both. Contents without either are an empty text, unless their media type is binary. Returns the same object if it
 * is complete.
 */
export function completeContents(contents: JsonObject): JsonObject {
  const { text, blob } = contents
  if (typeof text === 'string' ? !('blob' in contents) : typeof blob === 'string' && !('text' in contents)) return contents
  const { text: _text, blob: _blob, ...rest } = contents
  if (typeof text === 'string' && (text !== '' || typeof blob !== 'string')) return { ...rest, text }
  if (typeof blob === 'string') return blob === '' && typeof text === 'string' ? { ...rest, text } : { ...rest, blob }
  const isBinary = typeof rest.mimeType === 'string' && !isTextType(rest.mimeType)
  return isBinary ? { ...rest, blob: '' } : { ...rest, text: '' }
}

/** Completes all contents of resources in a response, which it does not modify. */
export function completeResponse(method: string, response: Response): Response {
  if (!isSuccess(response)) return response
  const result = completeResult(method, response.result)
  return result === response.result ? response : { ...response, result }
}

/** Completes all contents of resources in a result: read resources, embedded resources, and those in the result or the input requests of a task. */
export function completeResult(method: string, result: JsonObject): JsonObject {
  if (method === 'resources/read') return withMember(result, 'contents', (list) => mapObjects(list, completeContents))
  return COMPLETERS.reduce((completed, [name, complete]) => withMember(completed, name, complete), result)
}

/** Completes all contents of resources in the params of an input request. */
export function completeParams(params: JsonObject): JsonObject {
  return withMember(params, 'messages', completeMessages)
}

type Complete = (value: unknown) => unknown

const COMPLETERS: readonly (readonly [member: string, complete: Complete])[] = [
  ['content', completeContent],
  ['messages', completeMessages],
  ['inputRequests', completeInputRequests],
  ['result', (result) => (isObject(result) ? completeResult('tools/call', result) : result)],
]

function completeMessages(messages: unknown): unknown {
  return mapObjects(messages, (message) => withMember(message, 'content', completeContent))
}

/** Completes a content block or a list of blocks. */
function completeContent(content: unknown): unknown {
  return isObject(content) ? completeBlock(content) : mapObjects(content, completeBlock)
}

function completeBlock(block: JsonObject): JsonObject {
  if (block.type === 'resource' && isObject(block.resource))
    return withMember(block, 'resource', (one) => completeContents(one as JsonObject))
  if (block.type === 'tool_result') return withMember(block, 'content', completeContent)
  const member = REQUIRED_TEXTS.get(block.type)
  return member === undefined || typeof block[member] === 'string' ? block : { ...block, [member]: '' }
}

/** The members of content blocks that may be left out because they are empty. */
const REQUIRED_TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['text', 'text'],
  ['image', 'data'],
  ['audio', 'data'],
])

function completeInputRequests(requests: unknown): unknown {
  if (!isObject(requests)) return requests
  const names = Object.keys(requests)
  return names.reduce((completed, name) => withMember(completed, name, completeInputRequest), requests)
}

function completeInputRequest(request: unknown): unknown {
  return isObject(request)
    ? withMember(request, 'params', (params) => (isObject(params) ? completeParams(params) : params))
    : request
}

/** Returns the object with a changed member, or the same object if the member is absent or stays the same. */
function withMember(object: JsonObject, name: string, change: Complete): JsonObject {
  if (object[name] === undefined) return object
  const changed = change(object[name])
  return changed === object[name] ? object : { ...object, [name]: changed }
}

/** Maps the objects of a list. Returns the same list if none of them changes. */
function mapObjects(list: unknown, change: (item: JsonObject) => JsonObject): unknown {
  if (!Array.isArray(list)) return list
  let changed: unknown[] | undefined
  for (const [index, item] of list.entries()) {
    const next: unknown = isObject(item) ? change(item) : item
    if (next !== item) (changed ??= [...list])[index] = next
  }
  return changed ?? list
}
