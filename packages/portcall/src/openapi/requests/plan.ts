/** Plans how the arguments of a tool become a request. */
import type { JsonObject } from '../../entrypoints/jsonrpc.ts'
import type { ApiDocument } from '../document/document.ts'
import type { DescribedOperation } from '../document/operations.ts'
import { createArgumentNames } from '../names.ts'
import type { OperationOverrides } from '../options.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'
import { type PlannedBody, planBody } from './body.ts'
import { type PlannedParameter, planParameters } from './parameters.ts'

/** How the arguments of a tool become a request. */
export interface RequestPlan {
  readonly operation: DescribedOperation
  readonly parameters: readonly PlannedParameter[]
  readonly body: PlannedBody | undefined
  /** The JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
  /** Whether parts of the schema accept any value because it would be too large. */
  readonly isCut: boolean
}

export interface PlanOptions {
  readonly document: ApiDocument
  readonly schemas: SchemaConverter
  readonly overrides: OperationOverrides
  readonly maxSchemaChars: number
}

/** The methods whose requests have no body: `fetch` does not send one. */
export const BODILESS: readonly string[] = ['GET', 'HEAD', 'TRACE']

/** Plans the request of an operation. */
export function planRequest(operation: DescribedOperation, options: PlanOptions): RequestPlan {
  const { document, schemas, overrides, maxSchemaChars } = options
  const nameArgument = createArgumentNames()
  const parameters = planParameters(operation, { document, schemas, nameArgument })
  const source = BODILESS.includes(operation.method) ? undefined : operation.source.requestBody
  const body = planBody(source, { document, schemas, nameArgument, preferred: overrides.mediaType })
  const members = [...parameters, ...(body ? [body] : [])].filter(
    ({ argument }) => !overrides.hide?.includes(argument) && !Object.hasOwn(overrides.fixed ?? {}, argument),
  )
  const required = members.filter((member) => member.required).map(({ argument }) => argument)
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(members.map((member) => [member.argument, member.schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  const { schema: inputSchema, isCut } = schemas.complete(schema, maxSchemaChars)
  return { operation, parameters, body, inputSchema, isCut }
}
