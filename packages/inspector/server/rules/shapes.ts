import type { Revision } from '../../../portcall/src/protocol/revisions.ts'
import { list, type Members, members, type Shape, words } from './shape.ts'

/* Members of newer revisions are checked in older ones as well. */

const IMPLEMENTATION = members({ name: 'string', version: 'string', 'title?': 'string' })
const CONTENTS: Members = { uri: 'string', 'mimeType?': 'string', 'text?': 'string', 'blob?': 'string' }
const MEDIA: Members = { data: 'string', mimeType: 'string' }
const NAMED: Members = { name: 'string', 'title?': 'string', 'description?': 'string' }
const BLOCKS: { readonly [type: string]: Members } = {
  text: { text: 'string' },
  image: MEDIA,
  audio: MEDIA,
  resource: { resource: members(CONTENTS) },
  resource_link: { ...NAMED, uri: 'string', 'mimeType?': 'string' },
}
const BLOCK: Shape = { by: 'type', cases: BLOCKS }
const ROLE = words('user', 'assistant')
const CURSOR: Members = { 'nextCursor?': 'string' }
const SCHEMA = members({ type: words('object'), '$schema?': 'string', 'properties?': 'object', 'required?': list('string') })
const LISTS = members({ 'listChanged?': 'boolean', 'subscribe?': 'boolean' })
const SERVER: Members = {
  capabilities: members({
    'tools?': LISTS,
    'resources?': LISTS,
    'prompts?': LISTS,
    'logging?': 'object',
    'completions?': 'object',
  }),
  'instructions?': 'string',
}
const TOOL = members({
  ...NAMED,
  inputSchema: SCHEMA,
  'outputSchema?': 'object',
  'annotations?': members({ 'title?': 'string', 'readOnlyHint?': 'boolean', 'destructiveHint?': 'boolean' }),
})
const META = members({ 'io.modelcontextprotocol/serverInfo?': IMPLEMENTATION })

/** The results of the requests of a client, in every revision. */
export const RESULT_SHAPES: { readonly [method: string]: Shape } = {
  initialize: members({ ...SERVER, protocolVersion: 'string', serverInfo: IMPLEMENTATION }),
  'server/discover': members({ ...SERVER, supportedVersions: list('string') }),
  'tools/list': members({ tools: list(TOOL), ...CURSOR }),
  'tools/call': members({ content: list(BLOCK), 'isError?': 'boolean' }),
  'resources/list': members({ resources: list(members({ ...NAMED, uri: 'string', 'mimeType?': 'string' })), ...CURSOR }),
  'resources/templates/list': members({
    resourceTemplates: list(members({ ...NAMED, uriTemplate: 'string', 'mimeType?': 'string' })),
    ...CURSOR,
  }),
  'resources/read': members({ contents: list(members(CONTENTS)) }),
  'prompts/list': members({ prompts: list(members({ ...NAMED, 'arguments?': list(members(NAMED)) })), ...CURSOR }),
  'prompts/get': members({ messages: list(members({ role: ROLE, content: BLOCK })), 'description?': 'string' }),
  'completion/complete': members({
    completion: members({ values: list('string'), 'total?': 'number', 'hasMore?': 'boolean' }),
  }),
}

/** The members that every result may have. */
export const RESULT_META: Shape = members({ '_meta?': META })

/** The members of a result that asks for input. The input requests have shapes of their own. */
export const INPUT_REQUIRED: Shape = members({
  'inputRequests?': { each: members({ method: 'string' }) },
  'requestState?': 'string',
})

const ANY_PARAMS: Members = { '_meta?': 'object' }
const SUBSCRIBED_PARAMS: Members = { '_meta?': members({ 'io.modelcontextprotocol/subscriptionId?': 'id' }) }
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

const NOTIFICATIONS: { readonly [method: string]: Members } = {
  'notifications/cancelled': { requestId: 'id', 'reason?': 'string' },
  'notifications/progress': { progressToken: 'id', progress: 'number', 'total?': 'number', 'message?': 'string' },
  'notifications/message': { level: 'string', data: 'any', 'logger?': 'string' },
  'notifications/resources/updated': { uri: 'string' },
  'notifications/resources/list_changed': {},
  'notifications/tools/list_changed': {},
  'notifications/prompts/list_changed': {},
  'notifications/elicitation/complete': { elicitationId: 'string' },
  'notifications/tasks/status': {
    taskId: 'string',
    status: words('working', 'input_required', 'completed', 'failed', 'cancelled'),
    'statusMessage?': 'string',
    createdAt: 'string',
    lastUpdatedAt: 'string',
    ttl: { orNull: 'integer' },
    'pollInterval?': 'integer',
  },
  [ACKNOWLEDGED]: {
    notifications: members({
      'toolsListChanged?': 'boolean',
      'promptsListChanged?': 'boolean',
      'resourcesListChanged?': 'boolean',
      'resourceSubscriptions?': list('string'),
    }),
  },
}

const REQUESTS: { readonly [method: string]: (revision: Revision) => Shape } = {
  ping: () => members(ANY_PARAMS),
  'roots/list': () => members(ANY_PARAMS),
  'sampling/createMessage': samplingParams,
  'elicitation/create': elicitationParams,
}

/** Returns the shape of the params of what a server sends or asks for: a notification, a request or an input request. */
export function paramsShape(method: string, revision: Revision): Shape | undefined {
  const notification = NOTIFICATIONS[method]
  if (!notification) return REQUESTS[method]?.(revision)
  return members({ ...(revision.notifications.includes(ACKNOWLEDGED) ? SUBSCRIBED_PARAMS : ANY_PARAMS), ...notification })
}

function samplingParams({ sampling, fields }: Revision): Shape {
  const cases: { readonly [type: string]: Members } = {
    ...BLOCKS,
    tool_use: { id: 'string', name: 'string', input: 'object' },
    tool_result: { toolUseId: 'string', content: list(BLOCK), 'isError?': 'boolean' },
  }
  const allowed = Object.fromEntries(Object.entries(cases).filter(([type]) => sampling.content.includes(type)))
  const block: Shape = { by: 'type', cases: allowed, isClosed: true }
  return members({
    ...ANY_PARAMS,
    messages: list(members({ role: ROLE, content: sampling.multipleBlocks ? { oneOrMany: block } : block })),
    maxTokens: 'integer',
    'systemPrompt?': 'string',
    'temperature?': 'number',
    'stopSequences?': list('string'),
    'includeContext?': words('none', 'thisServer', 'allServers'),
    'metadata?': 'object',
    'modelPreferences?': members({
      'hints?': list(members({ 'name?': 'string' })),
      'costPriority?': 'number',
      'speedPriority?': 'number',
      'intelligencePriority?': 'number',
    }),
    ...(fields.samplingRequest.includes('tools') && {
      'tools?': list(TOOL),
      'toolChoice?': members({ 'mode?': words('auto', 'none', 'required') }),
    }),
  })
}

function elicitationParams({ fields }: Revision): Shape {
  const form: Members = { ...ANY_PARAMS, message: 'string', requestedSchema: formShape(fields.choicesField.length > 0) }
  if (fields.elicitUrl.length === 0) return members(form)
  const id: Members = fields.elicitUrl.includes('elicitationId') ? { elicitationId: 'string' } : {}
  return {
    by: 'mode',
    otherwise: 'form',
    isClosed: true,
    cases: { form, url: { ...ANY_PARAMS, message: 'string', url: 'string', ...id } },
  }
}

const FIELD: Members = { 'title?': 'string', 'description?': 'string' }
const NUMBER: Members = { ...FIELD, 'minimum?': 'number', 'maximum?': 'number', 'default?': 'number' }

function formShape(hasChoices: boolean): Shape {
  const text: Members = {
    ...FIELD,
    'minLength?': 'integer',
    'maxLength?': 'integer',
    'format?': words('email', 'uri', 'date', 'date-time'),
    'enum?': list('string'),
    'enumNames?': list('string'),
    'default?': 'string',
  }
  const cases: { readonly [type: string]: Members } = {
    string: text,
    number: NUMBER,
    integer: NUMBER,
    boolean: { ...FIELD, 'default?': 'boolean' },
    ...(hasChoices && {
      array: { ...FIELD, items: 'object', 'minItems?': 'integer', 'maxItems?': 'integer', 'default?': list('string') },
    }),
  }
  const field: Shape = { by: 'type', cases, isClosed: true }
  return members({ type: words('object'), properties: { each: field }, 'required?': list('string') })
}
