import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { withArticle } from '../../../util/src/pluralize.ts'
import type { CommandName } from '../protocol.ts'
import { InspectorCommandError } from '../state/command-error.ts'

/** The type of a param; with `?` it may be absent. */
type ParamType = `${'string' | 'number' | 'boolean' | 'object' | 'array' | 'any'}${'' | '?'}`
type ParamTypes = { readonly [param: string]: ParamType }

const SERVER: ParamTypes = { serverId: 'string' }
const FLOW: ParamTypes = { flowId: 'string' }
const RUN: ParamTypes = { runId: 'string' }

/** The params of each command, as far as they are checked before it runs. */
export const PARAMS: { readonly [Name in CommandName]: ParamTypes } = {
  'get-state': {},
  'list-sources': {},
  'read-config': { path: 'string' },
  'parse-target': { text: 'string' },
  'add-server': { target: 'object', name: 'string?', settings: 'object?' },
  'update-server': { ...SERVER, name: 'string?', target: 'object?', settings: 'object?' },
  'connect-server': { ...SERVER, confirm: 'string?' },
  'disconnect-server': SERVER,
  'remove-server': SERVER,
  'save-server': { ...SERVER, saved: 'boolean' },
  'set-roots': { ...SERVER, roots: 'array' },
  operate: { ...SERVER, request: 'object', options: 'object?' },
  'cancel-operation': { operationId: 'string' },
  'wait-operation': { operationId: 'string', timeoutMs: 'number?' },
  'answer-question': { questionId: 'string', answer: 'object' },
  'ask-model': { questionId: 'string' },
  'set-model': { model: 'any' },
  'save-answer': { answer: 'object' },
  'delete-answer': { id: 'string' },
  'get-entry': { entryId: 'number' },
  'search-timeline': { query: 'string' },
  'clear-timeline': { serverId: 'string?' },
  'set-timeline-limit': { limit: 'number' },
  'pause-timeline': { paused: 'boolean' },
  reveal: { entryId: 'number?', header: 'string?', side: 'string?', flowId: 'string?', placeholder: 'string?' },
  'show-view': { origin: 'string', viewId: 'string' },
  'note-view': { ...SERVER, operationId: 'string?', notes: 'array' },
  'run-doctor': { ...SERVER, confirm: 'string?' },
  'cancel-doctor': RUN,
  'check-quality': SERVER,
  'start-oauth': { options: 'object', serverId: 'string?', url: 'string?' },
  'next-oauth': FLOW,
  'run-oauth': FLOW,
  'cancel-oauth': FLOW,
  'extend-oauth': { ...FLOW, action: 'string', scopes: 'array?' },
  'revoke-oauth': FLOW,
  'clear-oauth': FLOW,
  'use-oauth-token': { ...FLOW, ...SERVER },
  'export-oauth': FLOW,
  'start-recording': { path: 'string?', serverIds: 'array?' },
  'stop-recording': { recordingId: 'string' },
  'import-recording': { name: 'string', text: 'string' },
  'start-replay': { ...SERVER, recordingId: 'string' },
  'cancel-replay': RUN,
  'serve-recording': { recordingId: 'string', serve: 'boolean' },
  diff: { left: 'object', right: 'object' },
  export: { format: 'string', serverIds: 'array?', entryIds: 'array?' },
  'copy-as': { format: 'string', source: 'object', host: 'string?' },
  'save-call': { call: 'object' },
  'delete-call': { id: 'string' },
  'run-calls': { ...SERVER, ids: 'array?' },
  'export-calls': { ids: 'array?' },
}

/** Checks the params of a command. @throws InspectorCommandError that names the param. */
export function checkParams(name: CommandName, params: unknown): JsonObject {
  if (!isObject(params)) throw new InspectorCommandError('INVALID_PARAMS', `${name}: params must be an object`)
  const types = PARAMS[name]
  for (const param of Object.keys(params))
    if (!Object.hasOwn(types, param)) throw new InspectorCommandError('INVALID_PARAMS', `${name}: there is no param ${param}`)
  for (const [param, type] of Object.entries(types)) {
    const value = params[param]
    if (value === undefined && (type.endsWith('?') || type === 'any')) continue
    const expected = type.replace('?', '')
    if (!matches(value, expected))
      throw new InspectorCommandError('INVALID_PARAMS', `${name}: ${param} must be ${withArticle(expected)}`)
  }
  return params
}

function matches(value: unknown, type: string): boolean {
  if (type === 'any') return true
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isObject(value) : typeof value === type
}
