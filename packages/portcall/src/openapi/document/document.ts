import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { OpenApiError } from '../errors.ts'

/** A parsed description whose references can be followed. Everything it refers to is part of it. */
export interface ApiDocument {
  /** The root of the description. */
  readonly root: JsonObject
  /** True if schemas follow OpenAPI 3.0, where `nullable` exists and keywords next to `$ref` do not count. */
  readonly is30: boolean
  /** Returns what a JSON Pointer such as `#/components/schemas/Pet` refers to, or `undefined`. */
  resolve(pointer: string): unknown
  /** Returns the object that a reference leads to, or the object itself if it is not a reference. An endless loop leads to an empty object. */
  follow(value: unknown): JsonObject
  /** Reports whether a reference leads to itself, or through more references than are followed. */
  isLoop(reference: JsonObject): boolean
}

const SUPPORTED = /^3\.[012](\.|$)/
const MAX_HOPS = 32

/** Creates the view of a description. @throws OpenApiError when it is not OpenAPI 3.0, 3.1 or 3.2. */
export function createApiDocument(root: unknown): ApiDocument {
  if (!isObject(root)) throw new OpenApiError('An OpenAPI description must be an object')
  const { openapi, swagger } = root
  if (swagger !== undefined)
    throw new OpenApiError('Swagger 2.0 is not supported. Convert the description to OpenAPI 3, for example with swagger2openapi')
  if (!SUPPORTED.test(String(openapi)))
    throw new OpenApiError(`"openapi" must be 3.0, 3.1 or 3.2, not ${JSON.stringify(openapi) ?? 'absent'}`)
  const resolve = (pointer: string): unknown => resolvePointer(root, pointer)
  /** Follows a reference. The result of an endless loop is `undefined`. */
  const followed = (value: unknown): JsonObject | undefined => {
    let current = value
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      if (!isObject(current)) return {}
      if (typeof current.$ref !== 'string') return current
      current = resolve(current.$ref)
    }
    return undefined
  }
  return {
    root,
    is30: String(openapi).startsWith('3.0'),
    resolve,
    follow: (value) => followed(value) ?? {},
    isLoop: (reference) => followed(reference) === undefined,
  }
}

/** Returns what a JSON Pointer in a fragment refers to, or `undefined`. */
export function resolvePointer(root: JsonObject, pointer: string): unknown {
  if (pointer === '#') return root
  if (!pointer.startsWith('#/')) return undefined
  let current: unknown = root
  for (const step of pointerSteps(pointer)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = (current as JsonObject)[step]
  }
  return current
}

/** Returns the decoded steps of a JSON Pointer in a fragment. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .slice(2)
    .split('/')
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
