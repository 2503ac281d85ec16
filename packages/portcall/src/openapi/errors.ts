import { PortcallError } from '../../../util/src/errors.ts'

/** Thrown when an OpenAPI description cannot be loaded or served. The message says where the problem is and what to change. */
export class OpenApiError extends PortcallError {
  override readonly name = 'OpenApiError'
  readonly code = 'INVALID_OPENAPI'
}

/** Something in a description that is not supported or not valid. The operation is served without it. */
export interface OpenApiIssue {
  /** Where it is: an operation such as `GET /pets`, or a JSON Pointer. */
  readonly where: string
  /** The fault, and what happens instead. */
  readonly problem: string
}

/** Receives a fault in a schema, and the JSON Pointer of that schema. Without one, it is a part of the current operation. */
export type ReportSchemaIssue = (problem: string, pointer?: string) => void
