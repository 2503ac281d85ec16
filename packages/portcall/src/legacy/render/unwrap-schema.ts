import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { ROOT_KEYWORDS, restoreSchema } from './relocate-schema.ts'
import { DEFINITIONS, wrappedOrNot } from './schema.ts'

/**
 * Returns the schema that `renderOutputSchema` has wrapped, or the schema itself if it does not look wrapped. A server may also mean the
 * object, so this is for display only.
 */
export function unwrapSchema(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema
  return (type === 'object' && (unwrapValue(rest) ?? unwrapUnion(rest))) || schema
}

/** Reverts `wrapSchema`. */
function unwrapValue({ properties, required, ...root }: JsonObject): JsonObject | undefined {
  const { result: wrapped, ...others } = isObject(properties) ? properties : {}
  const isWrapped = Object.keys(others).length === 0 && isJsonEqual(required, ['result']) && hasOnlyRootKeywords(root)
  if (!isWrapped || !isObject(wrapped) || wrapped.type === 'object') return undefined
  return restoreSchema({ ...root, ...wrapped }, '#/properties/result')
}

/** Reverts `allowWrapped`. */
function unwrapUnion({ anyOf, $defs: definitions, ...root }: JsonObject): JsonObject | undefined {
  const $ref = Array.isArray(anyOf) && isObject(anyOf[0]) ? anyOf[0].$ref : undefined
  if (typeof $ref !== 'string' || !$ref.startsWith(DEFINITIONS)) return undefined
  const { [$ref.slice(DEFINITIONS.length)]: moved, ...$defs } = isObject(definitions) ? definitions : {}
  if (!isObject(moved) || !isJsonEqual(anyOf, wrappedOrNot($ref)) || !hasOnlyRootKeywords(root)) return undefined
  return restoreSchema({ ...root, ...(Object.keys($defs).length > 0 && { $defs }), ...moved }, $ref)
}

function hasOnlyRootKeywords(schema: JsonObject): boolean {
  return Object.keys(schema).every((keyword) => ROOT_KEYWORDS.includes(keyword))
}
