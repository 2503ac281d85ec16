import { isObject, type JsonObject } from '../jsonrpc/message.ts'

const MAX_HOPS = 32

/** Returns what the references of a schema lead to in its document, or the schema itself. An endless loop leads to an empty schema. */
export function resolveLocal(schema: unknown, root: JsonObject): JsonObject {
  let current = schema
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    if (!isObject(current)) return {}
    if (typeof current.$ref !== 'string') return current
    current = targetOf(current.$ref, root)
  }
  return {}
}

function targetOf(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith('#')) return undefined
  let current: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined
    current = (current as JsonObject)[name]
  }
  // A root that refers to a definition is no target itself.
  return current === root && root.$ref !== undefined ? { ...root, $ref: undefined } : current
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
