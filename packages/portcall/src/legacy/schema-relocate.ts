import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { walkSchemas } from '../schema/walk.ts'

/** Keywords that stay at the root of a document. */
const ROOT_KEYWORDS = ['$schema', '$defs', 'definitions'] as const

/** A schema that has become a part of another document. */
export interface Relocated {
  /** What belongs to the root of the new document. */
  readonly root: JsonObject
  /** The schema for the place that it was moved to. */
  readonly moved: JsonObject
}

/**
 * Moves a schema from the root of its document to another place, without a change of meaning: its definitions stay at the root, and its
 * references to itself follow it. A schema with an `$id` is a document of its own wherever it stands, and is moved as it is.
 *
 * @param place the new place as a JSON pointer with `#`.
 */
export function relocate(schema: JsonObject, place: string): Relocated {
  const { $schema } = schema
  if (typeof schema.$id === 'string') return { root: $schema === undefined ? {} : { $schema }, moved: schema }
  const moved = structuredClone(schema)
  walkSchemas(moved, true, (node, ours) => {
    const same = ours && typeof node.$id !== 'string'
    if (same)
      for (const keyword of ['$ref', '$dynamicRef'])
        if (typeof node[keyword] === 'string') node[keyword] = follow(node[keyword], place)
    return same
  })
  const root: JsonObject = {}
  for (const keyword of ROOT_KEYWORDS) {
    if (keyword !== '$schema' && !isObject(moved[keyword])) continue
    if (moved[keyword] !== undefined) root[keyword] = moved[keyword]
    delete moved[keyword]
  }
  return { root, moved }
}

function follow(reference: string, place: string): string {
  if (reference === '#') return place
  const stays = !reference.startsWith('#/') || reference.startsWith('#/$defs/') || reference.startsWith('#/definitions/')
  return stays ? reference : place + reference.slice(1)
}
