/** A schema or a URI template cannot be used. The message says what to change. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly code = 'INVALID_SCHEMA'
}
