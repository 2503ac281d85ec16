import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { SchemaError } from './errors.ts'
import { isStandardSchema, type Schema, type StandardSchema } from './standard.ts'

const TARGET = { target: 'draft-2020-12' } as const

/**
 * Returns the JSON Schema of the input or of the output of a schema. Plain JSON Schema is returned unchanged.
 *
 * @throws SchemaError if the schema library cannot convert it. The message states what to change.
 */
export function toJsonSchema(schema: Schema | StandardSchema, use: 'input' | 'output'): JsonObject {
  const json = isStandardSchema(schema) ? convert(schema, use) : schema
  if (isObject(json)) return json
  throw new SchemaError(
    `A schema must be an object: JSON Schema, or a schema of a library that implements Standard Schema; got ${typeof json}`,
  )
}

function convert(schema: StandardSchema, use: 'input' | 'output'): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  const toJson = jsonSchema ? () => jsonSchema[use](TARGET) : findMethod(schema, use)
  if (!toJson) throw new SchemaError(`This ${vendor} schema does not provide its JSON Schema: ${advice(vendor)}`)
  try {
    return toJson()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SchemaError(`This ${vendor} schema cannot be converted to JSON Schema: ${reason}`, { cause })
  }
}

/** Finds the conversion method of libraries that do not implement Standard JSON Schema. */
function findMethod(schema: object, io: 'input' | 'output'): (() => unknown) | undefined {
  if ('toJSONSchema' in schema && typeof schema.toJSONSchema === 'function')
    return schema.toJSONSchema.bind(schema, { ...TARGET, io })
  if ('toJsonSchema' in schema && typeof schema.toJsonSchema === 'function') return schema.toJsonSchema.bind(schema)
  return undefined
}

function advice(vendor: string): string {
  if (vendor === 'valibot') return "wrap it in toStandardJsonSchema(…) of '@valibot/to-json-schema'"
  if (vendor === 'zod') return 'use zod 4.2 or newer'
  return 'use a version that implements Standard JSON Schema (`~standard.jsonSchema`), or pass plain JSON Schema'
}
