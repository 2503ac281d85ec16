import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { walkSchemas } from '../../schema/walk.ts'

/** Keywords that stay at the root of a document. */
const ROOT_KEYWORDS = ['$schema', '$defs', 'definitions'] as const

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
  const moved = structuredClone(schema)
  walkSchemas(moved, true, (node, parentInDocument) => {
    const inDocument = parentInDocument && typeof node.$id !== 'string'
    if (inDocument)
      for (const keyword of ['$ref', '$dynamicRef'])
        if (typeof node[keyword] === 'string') node[keyword] = rewriteReference(node[keyword], location)
    return inDocument
  })
  const root: JsonObject = {}
  for (const keyword of ROOT_KEYWORDS) {
    if (keyword !== '$schema' && !isObject(moved[keyword])) continue
    if (moved[keyword] !== undefined) root[keyword] = moved[keyword]
    delete moved[keyword]
  }
  return { root, moved }
}

function rewriteReference(reference: string, location: string): string {
  if (reference === '#') return location
  const isUnaffected = !reference.startsWith('#/') || reference.startsWith('#/$defs/') || reference.startsWith('#/definitions/')
  return isUnaffected ? reference : location + reference.slice(1)
}
