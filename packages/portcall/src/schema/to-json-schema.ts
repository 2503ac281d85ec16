import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { SchemaError } from './errors.ts'
import { collectExpressions, libraryOptions, typeBeyondJson, uncheckedPatterns } from './library-overrides.ts'
import { withPrefixItems } from './prefix-items.ts'
import { publishedSchema } from './published-schema.ts'
import { isStandardSchema, type Schema, type StandardSchema } from './standard.ts'

const TARGET = 'draft-2020-12'

/** How a schema is used: for arguments, for results, or for a form that a person fills in. */
export type SchemaRole = 'input' | 'output' | 'form'

/**
 * Returns the JSON Schema of the input or of the output of a schema, which accepts all values that the schema accepts. Plain JSON Schema is
 * returned unchanged, but for tuples without a dialect, as TypeBox writes them. `form` is an input that a person enters: its formats select the fields of the form.
 *
 * @throws SchemaError if the schema library cannot convert it. The message states what to change.
 */
export function toJsonSchema(schema: Schema | StandardSchema, use: SchemaRole): JsonObject {
  const json = isStandardSchema(schema) ? convert(schema, use) : schema
  if (isObject(json)) return json.$schema === undefined ? withPrefixItems(json) : json
  throw new SchemaError(
    `A schema must be an object: JSON Schema, or a schema of a library that implements Standard Schema; got ${typeof json}`,
  )
}

function convert(schema: StandardSchema, schemaUse: SchemaRole): unknown {
  const use = schemaUse === 'form' ? 'input' : schemaUse
  const { vendor, jsonSchema } = schema['~standard']
  const expressions = new Map<string, RegExp | undefined>()
  const options = libraryOptions(vendor, use, expressions)
  const toJson = jsonSchema
    ? () => jsonSchema[use]({ target: TARGET, ...(options && { libraryOptions: options }) })
    : findMethod(schema, use, options)
  if (!toJson) throw new SchemaError(`This ${vendor} schema does not provide its JSON Schema: ${advice(vendor)}`)
  const json = runConversion(vendor, toJson)
  const type = vendor === 'arktype' && use === 'input' && isObject(json) ? typeBeyondJson(schema, json) : undefined
  if (type !== undefined)
    throw new SchemaError(
      `This arktype schema cannot be converted to JSON Schema: no JSON value is a ${type}. Accept a text and convert it, as with 'string.date.parse'`,
    )
  // Our own adapters validate by the JSON Schema that they publish.
  if (!isObject(json) || vendor === 'portcall') return json
  return publishedSchema(json, {
    vendor,
    use,
    keepsFormats: schemaUse === 'form',
    expressions: collectExpressions(schema, expressions),
    ...uncheckedPatterns(schema, use),
  })
}

function runConversion(vendor: string, toJson: () => unknown): unknown {
  try {
    return toJson()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SchemaError(`This ${vendor} schema cannot be converted to JSON Schema: ${reason}`, { cause })
  }
}

/** Finds the conversion method of libraries that do not implement Standard JSON Schema. */
function findMethod(schema: object, io: 'input' | 'output', options: JsonObject | undefined): (() => unknown) | undefined {
  if ('toJSONSchema' in schema && typeof schema.toJSONSchema === 'function')
    return schema.toJSONSchema.bind(schema, { target: TARGET, io, ...options })
  if ('toJsonSchema' in schema && typeof schema.toJsonSchema === 'function') return schema.toJsonSchema.bind(schema)
  return undefined
}

function advice(vendor: string): string {
  if (vendor === 'valibot') return "wrap it in toStandardJsonSchema(…) of '@valibot/to-json-schema'"
  if (vendor === 'zod') return 'use zod 4.2 or newer, and schemas of `zod` rather than of `zod/mini`'
  return 'use a version that implements Standard JSON Schema (`~standard.jsonSchema`), or pass plain JSON Schema'
}
