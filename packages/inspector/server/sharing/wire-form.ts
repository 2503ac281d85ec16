import { isObject, type JsonObject } from 'portcall/jsonrpc'
import type { BackendParts } from '../backend-parts.ts'
import type { OperationOptions, OperationRequest } from '../protocol/operations.ts'
import type { ManagedServer } from '../servers/managed-server.ts'

/** The source of a copy: a server, and a request to it. */
export interface CopyInput {
  readonly server: ManagedServer
  readonly request: OperationRequest
  readonly options: OperationOptions
  readonly parts: BackendParts
  readonly host: string | undefined
  /** Replaces a secret by a variable of the shell or the process. */
  readonly secret: (name: string) => string
}

/** A message on the wire. */
export interface WireForm {
  readonly method: string
  readonly params: JsonObject
  readonly isNotification: boolean
}

/** The method and the params of a request, on the wire. */
export function wireForm({ request, options }: Pick<CopyInput, 'request' | 'options'>): WireForm {
  const { method, params } = toMethod(request)
  const meta = { ...(isObject(params._meta) ? params._meta : {}), ...options.meta }
  const isNotification = request.type === 'notify'
  return { method, params: Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params, isNotification }
}

const LISTS: { readonly [kind: string]: string } = {
  tools: 'tools/list',
  resources: 'resources/list',
  templates: 'resources/templates/list',
  prompts: 'prompts/list',
  skills: 'skills/list',
  tasks: 'tasks/list',
  events: 'events/list',
}

function toMethod(request: OperationRequest): { method: string; params: JsonObject } {
  switch (request.type) {
    case 'discover':
    case 'set-log-level':
      return { method: 'server/discover', params: {} }
    case 'list':
      return { method: LISTS[request.kind] ?? 'tools/list', params: {} }
    case 'call-tool':
      return { method: 'tools/call', params: { name: request.name, arguments: request.arguments } }
    case 'read-resource':
    case 'skill-read':
      return { method: 'resources/read', params: { uri: request.uri } }
    case 'get-prompt':
      return { method: 'prompts/get', params: { name: request.name, arguments: request.arguments } }
    case 'complete':
      return { method: 'completion/complete', params: { ref: request.ref, argument: request.argument } }
    case 'listen':
      return { method: 'subscriptions/listen', params: { notifications: request.filter } }
    case 'task-get':
    case 'task-result':
      return { method: 'tasks/get', params: { taskId: request.taskId } }
    case 'task-cancel':
      return { method: 'tasks/cancel', params: { taskId: request.taskId } }
    case 'skill-load':
      return { method: 'skills/get', params: { uri: request.uri } }
    case 'skill-directory':
      return { method: 'resources/directory/read', params: { uri: request.uri } }
    case 'event-subscribe':
      return {
        method: 'events/poll',
        params: { name: request.name, arguments: request.arguments, cursor: request.cursor ?? null },
      }
    case 'event-replay':
      return { method: 'events/list', params: {} }
    case 'request':
    case 'notify':
      return { method: request.method, params: request.params ?? {} }
  }
}
