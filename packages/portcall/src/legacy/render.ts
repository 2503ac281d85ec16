import { isObject, isSuccess, type ErrorBody, type JsonObject, type Notification, type Response } from '../jsonrpc/message.ts'
import { ErrorCode } from '../jsonrpc/errors.ts'
import { INVALID_ARGUMENTS } from '../protocol/errors.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import { mapItems, planOf, withLegacyMeta, without, type Plan } from './plan.ts'
import { renderBlock, renderContents, renderToolResult } from './render-content.ts'
import { renderPrompt, renderResource, renderTemplate, renderTool } from './render-entity.ts'

type Render = (result: JsonObject, plan: Plan) => JsonObject

const RESULTS: ReadonlyMap<string, Render> = new Map<string, Render>([
  ['tools/call', renderToolResult],
  ['tools/list', (result, plan) => renderList(result, plan, { key: 'tools', item: renderTool })],
  ['resources/list', (result, plan) => renderList(result, plan, { key: 'resources', item: renderResource })],
  ['resources/templates/list', (result, plan) => renderList(result, plan, { key: 'resourceTemplates', item: renderTemplate })],
  ['resources/read', (result, plan) => renderList(result, plan, { key: 'contents', item: renderContents })],
  ['prompts/list', (result, plan) => renderList(result, plan, { key: 'prompts', item: renderPrompt })],
  ['prompts/get', (result, plan) => renderList(result, plan, { key: 'messages', item: renderMessage })],
])

const KNOWN_NOTIFICATIONS = new Set(REVISIONS.flatMap(({ notifications }) => notifications))

/**
 * Renders the answer of the core for a legacy revision: the result by its method, the error by its code. A tool result about arguments
 * that do not fit becomes the error -32602 where the revision wants one. The response itself is not changed.
 */
export function renderResponse(method: string, response: Response, revision: Revision): Response {
  if (!isSuccess(response)) {
    const error = renderError(method, response.error, revision)
    return error === response.error ? response : { ...response, error }
  }
  const { id, result } = response
  if (INVALID_ARGUMENTS in result && revision.errors.invalidArguments === 'error')
    return { jsonrpc: '2.0', id, error: { code: ErrorCode.invalidParams, message: textOf(result) } }
  return { jsonrpc: '2.0', id, result: renderResult(method, result, revision) }
}

/** Renders a complete result of the core for a legacy revision; the result itself is not changed. */
export function renderResult(method: string, result: JsonObject, revision: Revision): JsonObject {
  const plan = planOf(revision)
  const render = RESULTS.get(method)
  return render ? render(result, plan) : withLegacyMeta(without(result, plan.foreign.result))
}

/** Renders an error of the core for a legacy revision: a missing resource has a code of its own there. */
export function renderError(method: string, error: ErrorBody, revision: Revision): ErrorBody {
  if (method !== 'resources/read' || error.code !== ErrorCode.invalidParams) return error
  const missing = isObject(error.data) && typeof error.data.uri === 'string'
  return missing ? { ...error, code: revision.errors.resourceNotFound } : error
}

/**
 * Renders a notification of the core for a legacy revision; `undefined` when the revision cannot say it. Notifications of extensions
 * pass.
 */
export function renderNotification(notification: Notification, revision: Revision): Notification | undefined {
  const { method, params } = notification
  if (!revision.notifications.includes(method) && KNOWN_NOTIFICATIONS.has(method)) return undefined
  if (!params) return notification
  const known = method === 'notifications/progress' ? without(params, planOf(revision).foreign.progress) : params
  const rendered = withLegacyMeta(known)
  return rendered === params ? notification : { ...notification, params: rendered }
}

interface Items {
  readonly key: string
  readonly item: (item: JsonObject, plan: Plan) => JsonObject
}

function renderList(result: JsonObject, plan: Plan, { key, item }: Items): JsonObject {
  const rendered = withLegacyMeta(without(result, plan.foreign.result))
  const items = rendered[key]
  if (!Array.isArray(items)) return rendered
  const list = mapItems<JsonObject, Plan>(items, item, plan)
  return list === items ? rendered : { ...rendered, [key]: list }
}

function renderMessage(message: JsonObject, plan: Plan): JsonObject {
  const content = isObject(message.content) ? renderBlock(message.content, plan) : message.content
  return content === message.content ? message : { ...message, content }
}

function textOf({ content }: JsonObject): string {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  const texts = blocks.map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : ''))
  return texts.filter(Boolean).join('\n') || 'Invalid params: the arguments do not fit the input schema'
}
