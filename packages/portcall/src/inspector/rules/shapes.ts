import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { pointerSegment } from '../sessions/json-diff.ts'

/** The required members of a value: their types, their own shapes, or the shape of each item. `?` marks optional ones. */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'array'
  | { readonly items: Shape }
  | { readonly members: { readonly [name: string]: Shape } }

const members = (shape: { readonly [name: string]: Shape }): Shape => ({ members: shape })
const list = (shape: Shape): Shape => ({ items: shape })

const IMPLEMENTATION = members({ name: 'string', version: 'string' })
const BLOCK = members({ type: 'string' })
const MESSAGE = members({ role: 'string', content: BLOCK })
const CURSOR: { readonly [name: string]: Shape } = { 'nextCursor?': 'string' }

/** The results of the requests of a client, in every revision. */
export const RESULT_SHAPES: { readonly [method: string]: Shape } = {
  initialize: members({ protocolVersion: 'string', capabilities: 'object', serverInfo: IMPLEMENTATION }),
  'server/discover': members({ supportedVersions: list('string'), capabilities: 'object' }),
  'tools/list': members({ tools: list(members({ name: 'string', inputSchema: 'object', 'description?': 'string' })), ...CURSOR }),
  'tools/call': members({ content: list(BLOCK), 'isError?': 'boolean' }),
  'resources/list': members({ resources: list(members({ uri: 'string', name: 'string' })), ...CURSOR }),
  'resources/templates/list': members({ resourceTemplates: list(members({ uriTemplate: 'string', name: 'string' })), ...CURSOR }),
  'resources/read': members({ contents: list(members({ uri: 'string' })) }),
  'prompts/list': members({
    prompts: list(members({ name: 'string', 'arguments?': list(members({ name: 'string' })) })),
    ...CURSOR,
  }),
  'prompts/get': members({ messages: list(MESSAGE) }),
  'completion/complete': members({
    completion: members({ values: list('string'), 'total?': 'number', 'hasMore?': 'boolean' }),
  }),
}

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
  const expected = typeof shape === 'string' ? shape : 'items' in shape ? 'array' : 'object'
  if (typeOf(value) !== expected) {
    faults.push({
      pointer,
      message: value === undefined ? 'is missing' : `must be ${article(expected)}, not ${article(typeOf(value))}`,
    })
    return
  }
  if (typeof shape === 'string') return
  if ('items' in shape) {
    for (const [index, item] of (value as unknown[]).entries())
      collect(item, shape.items, { pointer: `${pointer}/${index}`, faults })
    return
  }
  for (const [key, member] of Object.entries(shape.members)) {
    const name = key.replace('?', '')
    const found = (value as JsonObject)[name]
    if (found === undefined && key.endsWith('?')) continue
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
