import type { JsonObject } from '../jsonrpc/message.ts'
import { copyWithinLimits, isWithinLimits } from './limits.ts'
import { isOldTuple } from './model-apis.ts'
import { walkSchemas } from './walk.ts'

/**
 * Returns a schema with its tuples in the form of JSON Schema 2020-12. Older drafts, and libraries that write no `$schema`, have a list as `items`,
 * which validators and model APIs refuse. Returns the schema itself if it has none, or exceeds `SCHEMA_LIMITS`.
 */
export function withPrefixItems(schema: JsonObject): JsonObject {
  if (!isWithinLimits(schema)) return schema
  let hasTuples = false
  walkSchemas(schema, undefined, (node) => void (hasTuples ||= isOldTuple(node)))
  if (!hasTuples) return schema
  const copy = copyWithinLimits(schema)
  walkSchemas(copy, undefined, (node) => {
    if (!Array.isArray(node.items)) return undefined
    node.prefixItems = node.items
    if (node.additionalItems === undefined) delete node.items
    else node.items = node.additionalItems
    delete node.additionalItems
    return undefined
  })
  return copy
}
