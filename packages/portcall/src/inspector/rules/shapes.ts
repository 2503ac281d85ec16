import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { pointerSegment } from '../sessions/json-diff.ts'

/**
 * The shape of a value: its type, the text that it has to be, the shape of each item, those of its members (`?` marks optional ones), or
 * the members by the value of `type`. Members of newer revisions are checked in older ones as well.
 */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | { readonly text: string }
  | { readonly items: Shape }
  | { readonly members: Members }
  | { readonly byType: { readonly [type: string]: Members } }

type Members = { readonly [name: string]: Shape }

const members = (shape: Members): Shape => ({ members: shape })
const list = (shape: Shape): Shape => ({ items: shape })

const IMPLEMENTATION = members({ name: 'string', version: 'string', 'title?': 'string' })
const CONTENTS: Members = { uri: 'string', 'mimeType?': 'string', 'text?': 'string', 'blob?': 'string' }
const MEDIA: Members = { data: 'string', mimeType: 'string' }
const NAMED: Members = { name: 'string', 'title?': 'string', 'description?': 'string' }
const BLOCK: Shape = {
  byType: {
    text: { text: 'string' },
    image: MEDIA,
    audio: MEDIA,
    resource: { resource: members(CONTENTS) },
    resource_link: { ...NAMED, uri: 'string', 'mimeType?': 'string' },
  },
}
const MESSAGE = members({ role: 'string', content: BLOCK })
const CURSOR: Members = { 'nextCursor?': 'string' }
const SCHEMA = members({ type: { text: 'object' }, '$schema?': 'string', 'properties?': 'object', 'required?': list('string') })
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
  'prompts/get': members({ messages: list(MESSAGE), 'description?': 'string' }),
  'completion/complete': members({
    completion: members({ values: list('string'), 'total?': 'number', 'hasMore?': 'boolean' }),
  }),
}

/** What every result may have. */
export const RESULT_META: Shape = members({ '_meta?': META })

/** The params of what a server sends. */
export const PARAMS_SHAPES: { readonly [method: string]: Shape } = {
  'notifications/progress': members({ progress: 'number', 'total?': 'number', 'message?': 'string' }),
  'notifications/message': members({ level: 'string', 'logger?': 'string' }),
  'notifications/resources/updated': members({ uri: 'string' }),
  'notifications/subscriptions/acknowledged': members({ notifications: 'object' }),
  'sampling/createMessage': members({ messages: 'array', maxTokens: 'number' }),
  'elicitation/create': members({ message: 'string' }),
}

/** What does not fit a shape. */
export interface ShapeFault {
  readonly pointer: string
  readonly message: string
}

const MAX_FAULTS = 10

/** Lists the members that are missing or have another type. */
export function checkShape(value: unknown, shape: Shape, pointer = ''): ShapeFault[] {
  const faults: ShapeFault[] = []
  collect(value, shape, { pointer, faults })
  return faults
}

interface Position {
  readonly pointer: string
  readonly faults: ShapeFault[]
}

function collect(value: unknown, shape: Shape, { pointer, faults }: Position): void {
  if (faults.length >= MAX_FAULTS) return
  const expected = expectedType(shape)
  if (typeOf(value) !== expected) {
    faults.push({
      pointer,
      message: value === undefined ? 'is missing' : `must be ${article(expected)}, not ${article(typeOf(value))}`,
    })
    return
  }
  if (typeof shape === 'string') return
  if ('text' in shape) {
    if (value !== shape.text) faults.push({ pointer, message: `must be "${shape.text}"` })
  } else if ('items' in shape) {
    for (const [index, item] of (value as unknown[]).entries())
      collect(item, shape.items, { pointer: `${pointer}/${index}`, faults })
  } else collectMembers(value as JsonObject, membersOf(value as JsonObject, shape), { pointer, faults })
}

function expectedType(shape: Shape): string {
  if (typeof shape === 'string') return shape
  if ('text' in shape) return 'string'
  return 'items' in shape ? 'array' : 'object'
}

function membersOf({ type }: JsonObject, shape: Exclude<Shape, string | { text: string } | { items: Shape }>): Members {
  if ('members' in shape) return shape.members
  const known = typeof type === 'string' && Object.hasOwn(shape.byType, type) ? shape.byType[type] : {}
  return { type: 'string', ...known }
}

function collectMembers(value: JsonObject, shapes: Members, { pointer, faults }: Position): void {
  for (const [key, member] of Object.entries(shapes)) {
    const name = key.replace(/\?$/, '')
    const found = value[name]
    if (found === undefined && name !== key) continue
    collect(found, member, { pointer: `${pointer}/${pointerSegment(name)}`, faults })
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return isObject(value) ? 'object' : typeof value
}

const article = (type: string): string =>
  type === 'null' || type === 'undefined' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`
