/** Plans how the arguments of a tool become a request. */
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ApiDocument } from '../document/document.ts'
import { objectOrEmpty } from '../document/json.ts'
import type { DescribedOperation } from '../document/operations.ts'
import { createArgumentNames } from '../names.ts'
import type { OperationOverrides } from '../options.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'
import { acceptedTypes } from './accept.ts'
import { type PlannedBody, planBody } from './body.ts'
import { schemesOf } from './credentials.ts'
import { type PlannedParameter, planParameters } from './parameters.ts'
import { splitPath } from './placeholders.ts'
import { createReservedNames, type NamesByPlace, namesOfQuery, type ReservedNames } from './reserved-names.ts'

/** How the arguments of a tool become a request. */
export interface RequestPlan {
  readonly operation: DescribedOperation
  readonly parameters: readonly PlannedParameter[]
  readonly body: PlannedBody | undefined
  /** The JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
  /** True if parts of the schema accept any value because it would be too large. */
  readonly isCut: boolean
  /** The value of the header `Accept`. */
  readonly accept: string
  /** The names that the security schemes of the operation use. */
  readonly credentialNames: ReservedNames
  /** The names of the parameters of the description, also of those that are left out. */
  readonly declaredNames: ReservedNames
}

export interface PlanOptions {
  readonly document: ApiDocument
  readonly schemas: SchemaConverter
  readonly overrides: OperationOverrides
  readonly maxSchemaChars: number
  /** The names that the configuration sets in all requests. */
  readonly configuredNames: NamesByPlace
  /** Receives what the description says and the tool does not do. */
  readonly report: (problem: string) => void
}

/** The methods whose requests have no body: `fetch` does not send one. */
export const BODILESS: readonly string[] = ['GET', 'HEAD', 'TRACE']

/** Plans the request of an operation. */
export function planRequest(operation: DescribedOperation, options: PlanOptions): RequestPlan {
  const { document, schemas, overrides, maxSchemaChars, configuredNames, report } = options
  const nameArgument = createArgumentNames()
  const schemes = schemeNames(operation, document)
  const reserved = createReservedNames(schemes, configuredNames, { query: namesInPath(operation) })
  const isAuthorized = Object.values(schemesOf(operation, document)).some(({ type }) => type !== 'apiKey')
  const parameters = planParameters(operation, { document, schemas, nameArgument, reserved, isAuthorized, report })
  const source = BODILESS.includes(operation.method) ? undefined : operation.source.requestBody
  const body = planBody(source, { document, schemas, nameArgument, preferred: overrides.mediaType, report })
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
  const declaredNames = createReservedNames(...operation.parameters.map(({ in: place, name }) => ({ [String(place)]: [name] })))
  const accept = acceptedTypes(operation, document)
  return { operation, parameters, body, inputSchema, isCut, accept, credentialNames: createReservedNames(schemes), declaredNames }
}

/** Returns the names of the members that carry keys, by place. */
function schemeNames(operation: DescribedOperation, document: ApiDocument): NamesByPlace {
  const schemes = Object.values(schemesOf(operation, document))
  const keys = schemes.filter(({ type }) => type === 'apiKey')
  const at = (place: string): string[] => keys.filter((scheme) => scheme.in === place).map(({ name }) => String(name))
  return { query: at('query'), header: at('header'), cookie: at('cookie') }
}

/** Returns the names that the path of an operation sets in the query: some descriptions tell operations apart by them. */
function namesInPath({ path }: DescribedOperation): string[] {
  const { query } = splitPath(path)
  return namesOfQuery(
    query
      .split('&')
      .filter((pair) => !pair.includes('{'))
      .join('&'),
  )
}

/** Returns the arguments that the input schema has. Hosts add others, and models invent some. */
export function knownArguments({ inputSchema }: RequestPlan, args: JsonObject): JsonObject {
  const properties = objectOrEmpty(inputSchema.properties)
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)))
}
