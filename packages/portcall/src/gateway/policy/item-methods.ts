import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { describeUnknown, invalidParams, resourceNotFound, unknownItem } from '../../protocol/errors.ts'
import { EVENT_ERROR_CODES, EventMethod } from '../../protocol/events.ts'
import type { GatewayItem } from './types.ts'

/** The item that a request concerns, by its exposed name or URI. */
export type RequestedItem = Pick<GatewayItem, 'kind' | 'name'>

/** A method whose requests concern one item. */
export interface ItemMethod {
  /** @throws RpcError -32602 if the params do not name an item. */
  itemOf(params: JsonObject): RequestedItem
  /** Returns the error for an item that does not exist, or must not be visible. */
  unknown(params: JsonObject): RpcError
  /** Returns the params with the name or URI that the server knows. */
  rewrite(params: JsonObject, name: string): JsonObject
  /** Returns the arguments of a tool, a prompt or a subscription to events. */
  args(params: JsonObject): JsonObject | undefined
}

function readString(params: JsonObject, member: string): string {
  const value = params[member]
  if (typeof value !== 'string') throw invalidParams(`${member} must be a string`)
  return value
}

function readRef({ ref }: JsonObject): RequestedItem & { readonly ref: JsonObject } {
  if (isObject(ref) && ref.type === 'ref/prompt') return { kind: 'prompt', name: readString(ref, 'name'), ref }
  if (isObject(ref) && ref.type === 'ref/resource') return { kind: 'template', name: readString(ref, 'uri'), ref }
  throw invalidParams('ref must be a reference to a prompt or a resource template')
}

function argumentsOf(params: JsonObject): JsonObject | undefined {
  const args = params.arguments ?? undefined
  if (args !== undefined && !isObject(args)) throw invalidParams('arguments must be an object')
  return args
}

/** The methods that receive events of one type. */
export const EVENT_METHOD: ItemMethod = {
  itemOf: (params) => ({ kind: 'event', name: readString(params, 'name') }),
  unknown: ({ name }) => new RpcError(EVENT_ERROR_CODES.spec.NotFound, describeUnknown('event type', name), { kind: 'event' }),
  rewrite: (params, name) => ({ ...params, name }),
  args: argumentsOf,
}

/** The methods whose requests concern one item. */
export const ITEM_METHODS: { readonly [method: string]: ItemMethod } = {
  'tools/call': {
    itemOf: (params) => ({ kind: 'tool', name: readString(params, 'name') }),
    unknown: ({ name }) => unknownItem('tool', name),
    rewrite: (params, name) => ({ ...params, name }),
    args: argumentsOf,
  },
  'prompts/get': {
    itemOf: (params) => ({ kind: 'prompt', name: readString(params, 'name') }),
    unknown: ({ name }) => unknownItem('prompt', name),
    rewrite: (params, name) => ({ ...params, name }),
    args: argumentsOf,
  },
  'resources/read': {
    itemOf: (params) => ({ kind: 'resource', name: readString(params, 'uri') }),
    unknown: ({ uri }) => resourceNotFound(String(uri)),
    rewrite: (params, uri) => ({ ...params, uri }),
    args: () => undefined,
  },
  'completion/complete': {
    itemOf: readRef,
    unknown(params) {
      const { kind, name } = readRef(params)
      return unknownItem(kind === 'prompt' ? 'prompt' : 'resource template', name)
    },
    rewrite(params, name) {
      const { kind, ref } = readRef(params)
      return { ...params, ref: { ...ref, [kind === 'prompt' ? 'name' : 'uri']: name } }
    },
    args: () => undefined,
  },
  [EventMethod.poll]: EVENT_METHOD,
  [EventMethod.stream]: EVENT_METHOD,
}
