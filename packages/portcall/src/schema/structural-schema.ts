import type { JsonObject } from '../jsonrpc/message.ts'
import { walkSchemas } from './walk.ts'

/** Keywords about details of a value. Programs that rely on the type of a value do not depend on them, and implementations differ in them. */
const DETAILS = [
  'format',
  'pattern',
  'patternProperties',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
  'additionalItems',
  'unevaluatedItems',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'not',
  'if',
  'then',
  'else',
] as const

/**
 * Returns the part of a schema that describes the shape of values: types, required members, enumerations and alternatives. `nullable`, which
 * OpenAPI defines, allows null.
 */
export function structuralSchema(schema: JsonObject): JsonObject {
  const copy = structuredClone(schema)
  walkSchemas(copy, undefined, (node) => {
    const { additionalProperties, oneOf, type, nullable } = node
    for (const keyword of DETAILS) delete node[keyword]
    // The values of a map have a shape, too.
    if (typeof additionalProperties === 'object') node.additionalProperties = additionalProperties
    if (Array.isArray(oneOf)) {
      delete node.oneOf
      node.anyOf = Array.isArray(node.anyOf) ? node.anyOf : oneOf
    }
    if (nullable === true) {
      if (type !== undefined) node.type = [...new Set([type, 'null'].flat())]
      if (Array.isArray(node.enum)) node.enum = [...(node.enum as unknown[]), null]
    }
    return undefined
  })
  return copy
}
