import { ErrorCode } from '../../jsonrpc/errors.ts'
import {
  type ErrorBody,
  failure,
  isObject,
  isSuccess,
  type JsonObject,
  type Request,
  type Response,
  success,
} from '../../jsonrpc/message.ts'
import { METHODS } from '../../protocol/methods.ts'
import { REVISIONS } from '../../protocol/revisions.ts'
import { TASK_SUPPORT } from '../../protocol/tasks.ts'
import { mapField, withoutNulls } from '../render/fields.ts'

/** Reads a value of a legacy revision as one of the newest. Never modifies it. */
type Reader = (value: JsonObject) => JsonObject

/** The results that contain a list: the key of the list, and the reader of its items. */
const LIST_RESULTS: { readonly [method: string]: readonly [key: string, readItem: Reader] } = {
  'tools/list': ['tools', readTool],
  'tools/call': ['content', readBlock],
  'resources/list': ['resources', readAnnotated],
  'resources/templates/list': ['resourceTemplates', readAnnotated],
  'resources/read': ['contents', withoutNulls],
  'prompts/list': ['prompts', readPrompt],
  'prompts/get': ['messages', readMessage],
}

const NOT_CACHED = { ttlMs: 0, cacheScope: 'private' }
const NOT_FOUND_CODES = new Set(REVISIONS.map(({ errors }) => errors.resourceNotFound))

/** A request, with the ID that its sender chose. */
type SentRequest = Pick<Request, 'id' | 'method'> & { readonly params: JsonObject | undefined }

/**
 * Reads the response of a legacy server as one of the newest revision, with the fields that the newest revision requires on every result.
 * Accepts `null` for an absent field, an absent list for an empty one, and an empty cursor for the last page.
 */
export function readResponse({ id, method, params = {} }: SentRequest, response: Response): Response {
  if (isSuccess(response)) return success(id, readResult(method, response.result))
  return failure(id, readError(method, response.error, params))
}

function readResult(method: string, result: JsonObject): JsonObject {
  // Engines copy the last spread object fast. Setting a member after it costs more than everything else here.
  const read: JsonObject = { resultType: 'complete', ...withoutNulls(result) }
  read.resultType = 'complete'
  const [key, readItem] = LIST_RESULTS[method] ?? []
  if (key && readItem) read[key] = readList(read[key], readItem)
  if (method === 'completion/complete' && isObject(read.completion))
    read.completion = { values: [], ...withoutNulls(read.completion) }
  if (read.nextCursor === '') delete read.nextCursor
  return METHODS.get(method)?.cacheable ? Object.assign(read, NOT_CACHED) : read
}

/** Legacy revisions have their own code for a resource that does not exist. */
function readError(method: string, error: ErrorBody, { uri }: JsonObject): ErrorBody {
  if (method !== 'resources/read' || error.code === ErrorCode.invalidParams || !NOT_FOUND_CODES.has(error.code)) return error
  return { ...error, code: ErrorCode.invalidParams, data: { uri, ...(isObject(error.data) && error.data) } }
}

/** Reads the items of a list. Returns the list itself if no item changes. */
function readList(list: unknown, readItem: Reader): unknown[] {
  const items: unknown[] = Array.isArray(list) ? list : isObject(list) ? [list] : []
  const read = items.map((item) => (isObject(item) ? readItem(item) : item))
  return read.every((item, at) => item === items[at]) ? items : read
}

/** Only one revision has `execution`. It is kept out of messages of the newest revision. */
function readTool(tool: JsonObject): JsonObject {
  const { execution, ...read } = readAnnotated(tool)
  const support = isObject(execution) && typeof execution.taskSupport === 'string' && { [TASK_SUPPORT]: execution.taskSupport }
  return { inputSchema: { type: 'object' }, ...read, ...support }
}

function readPrompt(prompt: JsonObject): JsonObject {
  const read = withoutNulls(prompt)
  return 'arguments' in read ? { ...read, arguments: readList(read.arguments, withoutNulls) } : read
}

function readMessage(message: JsonObject): JsonObject {
  return mapField(message, 'content', readBlock)
}

/** Reads a content block. A block without a type but with text is a text block. */
export function readBlock(block: JsonObject): JsonObject {
  const read = mapField(readAnnotated(block), 'resource', withoutNulls)
  return read.type === undefined && typeof read.text === 'string' ? { ...read, type: 'text' } : read
}

function readAnnotated(object: JsonObject): JsonObject {
  return mapField(withoutNulls(object), 'annotations', withoutNulls)
}

/** Reads a task as one of the tasks extension, which has other names for durations. */
export function readTask(task: JsonObject): JsonObject {
  const { ttl = null, pollInterval, ...rest } = task
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt } = withoutNulls(rest)
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: ttl,
    ...(typeof pollInterval === 'number' && { pollIntervalMs: pollInterval }),
  }
}
