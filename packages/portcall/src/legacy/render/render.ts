import { memoize } from '../../../../util/src/memo.ts'
import { ErrorCode, type RpcError } from '../../jsonrpc/errors.ts'
import { type ErrorBody, isObject, type JsonObject, type Notification, type Response } from '../../jsonrpc/message.ts'
import { INVALID_ARGUMENTS, invalidParams } from '../../protocol/errors.ts'
import { renderBlock, renderResourceContents, renderToolResult } from './content.ts'
import { renderPrompt, renderResource, renderTemplate, renderTool } from './definitions.ts'
import { type DowngradePlan, mapItems, omitFields, withoutReservedMeta } from './downgrade-plan.ts'
import { mapField, withField } from './fields.ts'

/** Renders a value of the newest revision for an older one. Returns the value itself if nothing changes; never modifies it. */
type Renderer = (value: JsonObject, plan: DowngradePlan) => JsonObject

/** The results that consist of a list: the key of the list, and the renderer of its items. */
const LIST_RESULTS: { readonly [method: string]: readonly [key: string, renderItem: Renderer] } = {
  'tools/list': ['tools', renderTool],
  'resources/list': ['resources', renderResource],
  'resources/templates/list': ['resourceTemplates', renderTemplate],
  'resources/read': ['contents', renderResourceContents],
  'prompts/list': ['prompts', renderPrompt],
  'prompts/get': ['messages', renderMessage],
}

const RESULT_RENDERERS: ReadonlyMap<string, Renderer> = new Map([
  ['tools/call', renderToolResult],
  ...Object.entries(LIST_RESULTS).map(([method, [key, renderItem]]) => [method, listRenderer(key, renderItem)] as const),
])

/**
 * Renders a response of the core for a legacy revision: the result according to its method, the error according to its code. A tool
 * result that is marked with INVALID_ARGUMENTS becomes the error -32602 if the revision requires one. Never modifies the response.
 */
export function renderResponse(method: string, response: Response, plan: DowngradePlan): Response {
  if ('error' in response) {
    const error = renderError(method, response.error, plan)
    return error === response.error ? response : { ...response, error }
  }
  const { id, result } = response
  if (INVALID_ARGUMENTS in result && plan.revision.errors.invalidArguments === 'error')
    return invalidArguments(result).response(id)
  return { jsonrpc: '2.0', id, result: memoize(result, plan, RESULT_RENDERERS.get(method) ?? renderPlainResult) }
}

/** Renders a complete result of the core for a legacy revision. */
export function renderResult(method: string, result: JsonObject, plan: DowngradePlan): JsonObject {
  return (RESULT_RENDERERS.get(method) ?? renderPlainResult)(result, plan)
}

/** Renders an error of the core for a legacy revision, which may have its own code for a resource that does not exist. */
export function renderError(method: string, error: ErrorBody, { revision }: DowngradePlan): ErrorBody {
  if (method !== 'resources/read' || error.code !== ErrorCode.invalidParams) return error
  const isMissing = isObject(error.data) && typeof error.data.uri === 'string'
  return isMissing ? { ...error, code: revision.errors.resourceNotFound } : error
}

/**
 * Renders a notification of the core for a legacy revision. Returns `undefined` if only other revisions define it. Notifications that
 * no revision defines belong to extensions and pass unchanged.
 */
export function renderNotification(notification: Notification, plan: DowngradePlan): Notification | undefined {
  const { method, params } = notification
  if (plan.unsupportedNotifications.has(method)) return undefined
  if (!params) return notification
  const rendered = withoutReservedMeta(method === 'notifications/progress' ? omitFields(params, plan.omit.progress) : params)
  return rendered === params ? notification : { ...notification, params: rendered }
}

function renderPlainResult(result: JsonObject, { omit }: DowngradePlan): JsonObject {
  return withoutReservedMeta(omitFields(result, omit.result))
}

function listRenderer(key: string, renderItem: Renderer): Renderer {
  return (result, plan) => {
    const rendered = renderPlainResult(result, plan)
    const items = rendered[key]
    return Array.isArray(items) ? withField(rendered, key, mapItems(items, renderItem, plan)) : rendered
  }
}

function renderMessage(message: JsonObject, plan: DowngradePlan): JsonObject {
  return mapField(message, 'content', (content) => renderBlock(content, plan))
}

function invalidArguments({ content, [INVALID_ARGUMENTS]: issues }: JsonObject & { [INVALID_ARGUMENTS]?: unknown }): RpcError {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  const texts = blocks.flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : []))
  return invalidParams(texts.join('\n'), { issues })
}
