import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ApiDocument } from './document.ts'
import { arrayOrEmpty, objectOrEmpty, textOrNothing } from './json.ts'

/** An operation of an API. */
export interface ApiOperation {
  /** The method and the path: `GET /pets/{petId}`. */
  readonly id: string
  /** The `operationId` of the description. */
  readonly operationId?: string
  /** The HTTP method in upper case. */
  readonly method: string
  /** The path with its parameters in braces. */
  readonly path: string
  /** The short description. */
  readonly summary?: string
  /** The long description. */
  readonly description?: string
  /** The tags. */
  readonly tags: readonly string[]
  /** True if the description discourages its use. */
  readonly deprecated: boolean
}

/** An operation with the parts of the description that requests and responses are made from. */
export interface DescribedOperation extends ApiOperation {
  /** The operation object. */
  readonly source: JsonObject
  /** The parameters of the operation and of its path, with references followed. */
  readonly parameters: readonly JsonObject[]
  /** The server objects of the operation, its path or the description: the first that has any. */
  readonly servers: readonly JsonObject[]
  /** True if the servers are those of the operation or its path only. */
  readonly hasOwnServers: boolean
}

const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/** Returns the operations of a description, in its order. */
export function listOperations(document: ApiDocument): DescribedOperation[] {
  return Object.entries(objectOrEmpty(document.root.paths)).flatMap(([path, value]) => {
    if (!path.startsWith('/')) return []
    const item = document.follow(value)
    const methods = [
      ...METHODS.map((name) => [name, item[name]] as const),
      ...Object.entries(objectOrEmpty(item.additionalOperations)),
    ]
    return methods.flatMap(([method, source]) =>
      isObject(source) ? [describeOperation({ path, method: method.toUpperCase(), item, source }, document)] : [],
    )
  })
}

interface OperationSource {
  readonly path: string
  readonly method: string
  readonly item: JsonObject
  readonly source: JsonObject
}

function describeOperation({ path, method, item, source }: OperationSource, document: ApiDocument): DescribedOperation {
  const own = [source.servers, item.servers].map(arrayOrEmpty).find((servers) => servers.length > 0)
  return {
    id: `${method} ${path}`,
    method,
    path,
    tags: arrayOrEmpty(source.tags).filter((tag) => typeof tag === 'string'),
    deprecated: source.deprecated === true,
    ...withoutUndefined({
      operationId: textOrNothing(source.operationId),
      summary: textOrNothing(source.summary) ?? textOrNothing(item.summary),
      description: textOrNothing(source.description) ?? textOrNothing(item.description),
    }),
    source,
    parameters: mergeParameters([item.parameters, source.parameters], document),
    servers: (own ?? arrayOrEmpty(document.root.servers)).map(objectOrEmpty),
    hasOwnServers: own !== undefined,
  }
}

/** Merges the parameters of a path and of an operation. Those of the operation replace those of the same place and name. */
function mergeParameters(lists: readonly unknown[], document: ApiDocument): JsonObject[] {
  const merged = new Map<string, JsonObject>()
  for (const parameter of lists.flatMap(arrayOrEmpty).map(document.follow))
    if (typeof parameter.name === 'string' && typeof parameter.in === 'string')
      merged.set(`${parameter.in} ${parameter.name}`, parameter)
  return [...merged.values()]
}
