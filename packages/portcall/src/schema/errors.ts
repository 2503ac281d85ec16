import { PortcallError } from '../../../util/src/errors.ts'

/** Thrown for a schema or a URI template that cannot be used. The message states what to change. */
export class SchemaError extends PortcallError {
  override readonly name = 'SchemaError'
  readonly code = 'INVALID_SCHEMA'
}
