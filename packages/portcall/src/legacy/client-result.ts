import { ErrorCode } from '../jsonrpc/errors.ts'
import {
  type ErrorBody,
  failure,
  isObject,
  isSuccess,
  type JsonObject,
  type Request,
  type Response,
  success,
} from '../jsonrpc/message.ts'
import { METHODS } from '../protocol/methods.ts'
import { REVISIONS } from '../protocol/revisions.ts'

type Read = (value: JsonObject) => JsonObject

/** The lists that results are made of: where they are, and how one of their items is read. */
const LISTS: { readonly [method: string]: readonly [key: string, item: Read] } = {
  'tools/list': ['tools', readTool],
  'tools/call': ['content', readBlock],
  'resources/list': ['resources', readAnnotated],
  'resources/templates/list': ['resourceTemplates', readAnnotated],
  'resources/read': ['contents', withoutNulls],
  'prompts/list': ['prompts', readPrompt],
  'prompts/get': ['messages', readMessage],
}

const NOT_CACHED = { ttlMs: 0, cacheScope: 'private' }
const NOT_FOUND = new Set(REVISIONS.map(({ errors }) => errors.resourceNotFound))

/** What was asked, with the id that its sender has for it. */
type Asked = Pick<Request, 'id' | 'method'> & { readonly params: JsonObject | undefined }

/**
 * Reads the answer of a legacy server as one of the newest revision: liberal in its forms (`null` stands for an absent field, an absent
 * list for an empty one, an empty cursor for the end), and with the fields that the newest revision wants on every result.
 */
export function readResponse({ id, method, params = {} }: Asked, response: Response): Response {
  if (isSuccess(response)) return success(id, readResult(method, response.result))
  return failure(id, readError(method, response.error, params))
}

function readResult(method: string, result: JsonObject): JsonObject {
  // Engines copy fast what is spread last; a member that is added after it costs more than all of the rest.
  const read: JsonObject = { resultType: 'complete', ...withoutNulls(result) }
  read.resultType = 'complete'
  const [key, item] = LISTS[method] ?? []
  if (key && item) read[key] = readList(read[key], item)
  if (method === 'completion/complete' && isObject(read.completion))
    read.completion = { values: [], ...withoutNulls(read.completion) }
  if (read.nextCursor === '') delete read.nextCursor
  return METHODS.get(method)?.cacheable ? Object.assign(read, NOT_CACHED) : read
}

/** A resource that does not exist had a code of its own. */
function readError(method: string, error: ErrorBody, { uri }: JsonObject): ErrorBody {
  if (method !== 'resources/read' || error.code === ErrorCode.invalidParams || !NOT_FOUND.has(error.code)) return error
  return { ...error, code: ErrorCode.invalidParams, data: { uri, ...(isObject(error.data) && error.data) } }
}

function readList(list: unknown, item: Read): unknown[] {
  const items: unknown[] = Array.isArray(list) ? list : isObject(list) ? [list] : []
  return items.map((one) => (isObject(one) ? item(one) : one))
}

function readTool(tool: JsonObject): JsonObject {
  return { inputSchema: { type: 'object' }, ...readAnnotated(tool) }
}

function readPrompt(prompt: JsonObject): JsonObject {
  const read = withoutNulls(prompt)
  return 'arguments' in read ? { ...read, arguments: readList(read.arguments, withoutNulls) } : read
}

function readMessage(message: JsonObject): JsonObject {
  return isObject(message.content) ? { ...message, content: readBlock(message.content) } : message
}

/** Reads a content block; one that has text and no type is text. */
export function readBlock(block: JsonObject): JsonObject {
  const read = readAnnotated(block)
  if (isObject(read.resource)) return { ...read, resource: withoutNulls(read.resource) }
  return read.type === undefined && typeof read.text === 'string' ? { ...read, type: 'text' } : read
}

function readAnnotated(object: JsonObject): JsonObject {
  const read = withoutNulls(object)
  return isObject(read.annotations) ? { ...read, annotations: withoutNulls(read.annotations) } : read
}

/** Gives the object without its fields that are `null`: itself when it has none. */
export function withoutNulls(object: JsonObject): JsonObject {
  for (const key in object) {
    if (object[key] !== null) continue
    return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
  }
  return object
}
