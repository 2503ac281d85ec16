import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { walkSchemas } from '../../schema/walk.ts'

/** Keywords that stay at the root of a document. */
export const ROOT_KEYWORDS: readonly string[] = ['$schema', '$defs', 'definitions']

/** A schema that was moved into another document. */
export interface RelocatedSchema {
  /** The keywords for the root of the new document. */
  readonly root: JsonObject
  /** The schema for its new location. */
  readonly moved: JsonObject
}

/**
 * Moves a schema from the root of its document to another location without changing its meaning. Definitions stay at the root, and
 * references from the schema to itself are rewritten. A schema with an `$id` is a document of its own, so it is moved unchanged.
 *
 * @param location the new location as a JSON pointer with a leading `#`.
 */
export function relocateSchema(schema: JsonObject, location: string): RelocatedSchema {
  const { $schema } = schema
  if (typeof schema.$id === 'string') return { root: $schema === undefined ? {} : { $schema }, moved: schema }
  const moved = withReferences(schema, (reference) => movedReference(reference, location))
  const root: JsonObject = {}
  for (const keyword of ROOT_KEYWORDS) {
    if (keyword !== '$schema' && !isObject(moved[keyword])) continue
    if (moved[keyword] !== undefined) root[keyword] = moved[keyword]
    delete moved[keyword]
  }
  return { root, moved }
}

/** Rewrites the references of a schema that was moved back to the root of its document, with its definitions: the inverse of `relocateSchema`. */
export function restoreSchema(schema: JsonObject, location: string): JsonObject {
  if (typeof schema.$id === 'string') return schema
  const isInside = (reference: string): boolean => reference === location || reference.startsWith(`${location}/`)
  return withReferences(schema, (reference) => (isInside(reference) ? `#${reference.slice(location.length)}` : reference))
}

/** Returns a copy with other references. Those of embedded documents are unchanged. */
function withReferences(schema: JsonObject, rewrite: (reference: string) => string): JsonObject {
  const copy = structuredClone(schema)
  walkSchemas(copy, true, (node, parentInDocument) => {
    const inDocument = parentInDocument && typeof node.$id !== 'string'
    if (inDocument)
      for (const keyword of ['$ref', '$dynamicRef']) if (typeof node[keyword] === 'string') node[keyword] = rewrite(node[keyword])
    return inDocument
  })
  return copy
}

function movedReference(reference: string, location: string): string {
  if (reference === '#') return location
  const isUnaffected = !reference.startsWith('#/') || reference.startsWith('#/$defs/') || reference.startsWith('#/definitions/')
  return isUnaffected ? reference : location + reference.slice(1)
}
