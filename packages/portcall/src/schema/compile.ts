import type { CompiledSchema, Infer, Schema } from './standard.ts'

/** How a schema is compiled. */
export interface CompileOptions {
  /** `false`: the schema comes from a peer, so its patterns run in linear time only. Default `true`: it is the author's own. */
  trusted?: boolean
}

/**
 * Makes a schema ready for use; call it once per definition.
 *
 * @throws SchemaError that says what to change.
 */
export function compileSchema<const S extends Schema>(schema: S, use: 'input' | 'output', options?: CompileOptions): CompiledSchema<Infer<S>> {
  throw new Error(`not there: ${use} ${typeof schema} ${typeof options}`)
}
