import { ErrorCode, type RpcError } from '../jsonrpc/errors.ts'
import { derive } from '../jsonrpc/kept.ts'
import { type ErrorBody, isObject, isSuccess, type JsonObject, type Notification, type Response } from '../jsonrpc/message.ts'
import { INVALID_ARGUMENTS, invalidParams } from '../protocol/errors.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import { mapItems, type Plan, planOf, withField, withLegacyMeta, without } from './plan.ts'
import { renderBlock, renderContents } from './render-content.ts'
import { renderPrompt, renderResource, renderTemplate, renderTool } from './render-entity.ts'
import { renderToolResult } from './render-tool-result.ts'

type Render = (value: JsonObject, plan: Plan) => JsonObject

/** The lists that results are made of: where they are, and how one of their items is rendered. */
const LISTS: { readonly [method: string]: readonly [key: string, item: Render] } = {
  'tools/list': ['tools', renderTool],
  'resources/list': ['resources', renderResource],
  'resources/templates/list': ['resourceTemplates', renderTemplate],
  'resources/read': ['contents', renderContents],
  'prompts/list': ['prompts', renderPrompt],
  'prompts/get': ['messages', renderMessage],
}

const RESULTS: ReadonlyMap<string, Render> = new Map([
  ['tools/call', renderToolResult],
  ...Object.entries(LISTS).map(([method, [key, item]]) => [method, listOf(key, item)] as const),
])

const KNOWN_NOTIFICATIONS = new Set(REVISIONS.flatMap(({ notifications }) => notifications))

/**
 * Renders the answer of the core for a legacy revision: the result by its method, the error by its code. A tool result that is marked
 * with INVALID_ARGUMENTS becomes the error -32602 where the revision wants one. The response itself is never changed.
 */
export function renderResponse(method: string, response: Response, revision: Revision): Response {
  if (!isSuccess(response)) {
    const error = renderError(method, response.error, revision)
    return error === response.error ? response : { ...response, error }
  }
  const { id, result } = response
  if (INVALID_ARGUMENTS in result && revision.errors.invalidArguments === 'error') return invalidArguments(result).response(id)
  return { jsonrpc: '2.0', id, result: derive(result, revision, () => renderResult(method, result, revision)) }
}

/** Renders a complete result of the core for a legacy revision. What needs no change is passed on as it is, nothing is changed in place. */
export function renderResult(method: string, result: JsonObject, revision: Revision): JsonObject {
  return (RESULTS.get(method) ?? renderPlain)(result, planOf(revision))
}

/** Renders an error of the core for a legacy revision: a resource that does not exist has a code of its own there. */
export function renderError(method: string, error: ErrorBody, revision: Revision): ErrorBody {
  if (method !== 'resources/read' || error.code !== ErrorCode.invalidParams) return error
  const missing = isObject(error.data) && typeof error.data.uri === 'string'
  return missing ? { ...error, code: revision.errors.resourceNotFound } : error
}

/**
 * Renders a notification of the core for a legacy revision; `undefined` when the revision cannot say it. Notifications that no revision
 * knows belong to extensions and pass.
 */
export function renderNotification(notification: Notification, revision: Revision): Notification | undefined {
  const { method, params } = notification
  if (!revision.notifications.includes(method) && KNOWN_NOTIFICATIONS.has(method)) return undefined
  if (!params) return notification
  const known = method === 'notifications/progress' ? without(params, planOf(revision).foreign.progress) : params
  const rendered = withLegacyMeta(known)
  return rendered === params ? notification : { ...notification, params: rendered }
}

function renderPlain(result: JsonObject, { foreign }: Plan): JsonObject {
  return withLegacyMeta(without(result, foreign.result))
}

function listOf(key: string, item: Render): Render {
  return (result, plan) => {
    const rendered = renderPlain(result, plan)
    const items = rendered[key]
    return Array.isArray(items) ? withField(rendered, key, mapItems(items, item, plan)) : rendered
  }
}

function renderMessage(message: JsonObject, plan: Plan): JsonObject {
  return isObject(message.content) ? withField(message, 'content', renderBlock(message.content, plan)) : message
}

function invalidArguments({ content, [INVALID_ARGUMENTS]: issues }: JsonObject & { [INVALID_ARGUMENTS]?: unknown }): RpcError {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  const texts = blocks.flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : []))
  return invalidParams(texts.join('\n'), { issues })
}
