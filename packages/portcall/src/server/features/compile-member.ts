import { compileSchema } from '../../schema/compile.ts'
import { SchemaError } from '../../schema/errors.ts'
import type { CompiledSchema, Schema } from '../../schema/standard.ts'

/** Compiles a schema of a definition, if there is one. `member` names it in errors. @throws SchemaError if the schema cannot be used. */
export function compileMember(
  member: string,
  schema: Schema | undefined,
  use: 'input' | 'output' = 'input',
): CompiledSchema | undefined {
  try {
    return schema && compileSchema(schema, use)
  } catch (cause) {
    if (cause instanceof SchemaError) throw new SchemaError(`${member}: ${cause.message}`, { cause })
    throw cause
  }
}
