import type { JsonObject } from '../jsonrpc/message.ts'
import { walkSchemas } from './walk.ts'

/**
 * Returns a schema with its tuples in the form of JSON Schema 2020-12. Older drafts, and libraries that write no `$schema`, have a list as `items`,
 * which validators and model APIs refuse. Returns the schema itself if it has none.
 */
export function withPrefixItems(schema: JsonObject): JsonObject {
  let hasTuples = false
  walkSchemas(schema, undefined, ({ items }) => void (hasTuples ||= Array.isArray(items)))
  if (!hasTuples) return schema
  const copy = JSON.parse(JSON.stringify(schema)) as JsonObject
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
