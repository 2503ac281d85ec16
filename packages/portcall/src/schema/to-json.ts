import { SchemaError } from './errors.ts'
import { isStandardSchema, type JsonObject, type Schema, type StandardSchema } from './standard.ts'
import { isRecord } from './walk.ts'

const TARGET = { target: 'draft-2020-12' } as const

/**
 * Tells the JSON Schema of an author's schema: of what goes in, or of what comes out. Plain JSON Schema is returned as it is.
 *
 * @throws SchemaError when the library cannot tell it, with what to do.
 */
export function toJsonSchema(schema: Schema | StandardSchema, use: 'input' | 'output'): JsonObject {
  const json = isStandardSchema(schema) ? fromLibrary(schema, use) : schema
  if (isRecord(json)) return json
  throw new SchemaError(
    `A schema is an object: JSON Schema, or a schema of a library that speaks Standard Schema; got ${typeof json}`,
  )
}

function fromLibrary(schema: StandardSchema, use: 'input' | 'output'): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  const tell = jsonSchema ? () => jsonSchema[use](TARGET) : ownMethod(schema, use)
  if (!tell) throw new SchemaError(`This ${vendor} schema cannot tell its JSON Schema: ${advice(vendor)}`)
  try {
    return tell()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SchemaError(`This ${vendor} schema cannot be written as JSON Schema: ${reason}`, { cause })
  }
}

function ownMethod(schema: object, io: 'input' | 'output'): (() => unknown) | undefined {
  if ('toJSONSchema' in schema && typeof schema.toJSONSchema === 'function')
    return schema.toJSONSchema.bind(schema, { ...TARGET, io })
  if ('toJsonSchema' in schema && typeof schema.toJsonSchema === 'function') return schema.toJsonSchema.bind(schema)
  return undefined
}

function advice(vendor: string): string {
  if (vendor === 'valibot') return "wrap it in toStandardJsonSchema(…) of '@valibot/to-json-schema'"
  if (vendor === 'zod') return 'use zod 4.2 or newer'
  return 'use a version that speaks Standard JSON Schema (`~standard.jsonSchema`), or give plain JSON Schema'
}
