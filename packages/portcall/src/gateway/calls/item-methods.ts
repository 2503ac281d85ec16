import type { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams, resourceNotFound, unknownItem } from '../../protocol/errors.ts'
import type { Caller } from '../caller.ts'
import type { Router } from '../routes/router.ts'

/** A method whose requests concern one item. */
export interface ItemMethod {
  find(router: Router, params: JsonObject, caller: Caller): ReturnType<Router['findNamed']>
  /** The error for an item that does not exist, or must not be visible. */
  unknown(params: JsonObject): RpcError
  /** Returns the params with the name or URI that the server knows. */
  rewrite(params: JsonObject, name: string): JsonObject
  args(params: JsonObject): JsonObject | undefined
  /** Returns the name or URI in the params. */
  nameOf(params: JsonObject): string
}

function readString(params: JsonObject, member: string): string {
  const value = params[member]
  if (typeof value !== 'string') throw invalidParams(`${member} must be a string`)
  return value
}

function readRef({ ref }: JsonObject): {
  readonly type: 'ref/prompt' | 'ref/resource'
  readonly value: string
  readonly ref: JsonObject
} {
  if (isObject(ref) && ref.type === 'ref/prompt') return { type: ref.type, value: readString(ref, 'name'), ref }
  if (isObject(ref) && ref.type === 'ref/resource') return { type: ref.type, value: readString(ref, 'uri'), ref }
  throw invalidParams('ref must be a reference to a prompt or a resource template')
}

function argumentsOf(params: JsonObject): JsonObject | undefined {
  const args = params.arguments ?? undefined
  if (args !== undefined && !isObject(args)) throw invalidParams('arguments must be an object')
  return args
}

/** The methods whose requests concern one item. */
export const ITEM_METHODS: { readonly [method: string]: ItemMethod } = {
  'tools/call': {
    find: (router, params, caller) => router.findNamed('tool', readString(params, 'name'), caller),
    unknown: ({ name }) => unknownItem('tool', name),
    rewrite: (params, name) => ({ ...params, name }),
    args: argumentsOf,
    nameOf: (params) => readString(params, 'name'),
  },
  'prompts/get': {
    find: (router, params, caller) => router.findNamed('prompt', readString(params, 'name'), caller),
    unknown: ({ name }) => unknownItem('prompt', name),
    rewrite: (params, name) => ({ ...params, name }),
    args: argumentsOf,
    nameOf: (params) => readString(params, 'name'),
  },
  'resources/read': {
    find: (router, params, caller) => router.findResource(readString(params, 'uri'), caller),
    unknown: ({ uri }) => resourceNotFound(String(uri)),
    rewrite: (params, uri) => ({ ...params, uri }),
    args: () => undefined,
    nameOf: (params) => readString(params, 'uri'),
  },
  'completion/complete': {
    find(router, params, caller) {
      const { type, value } = readRef(params)
      return type === 'ref/prompt' ? router.findNamed('prompt', value, caller) : router.findReference(value, caller)
    },
    unknown(params) {
      const { type, value } = readRef(params)
      return unknownItem(type === 'ref/prompt' ? 'prompt' : 'resource template', value)
    },
    rewrite(params, name) {
      const { type, ref } = readRef(params)
      return { ...params, ref: { ...ref, [type === 'ref/prompt' ? 'name' : 'uri']: name } }
    },
    args: () => undefined,
    nameOf: (params) => readRef(params).value,
  },
}
