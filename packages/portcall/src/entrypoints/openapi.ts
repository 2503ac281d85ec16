/** Serves the operations of an API with an OpenAPI description as tools and resources. @module */
export type { ExternalReferences, LoadOptions } from '../openapi/document/load.ts'
export type { ApiOperation } from '../openapi/document/operations.ts'
export { OpenApiError, type OpenApiIssue } from '../openapi/errors.ts'
export { fromOpenAPI, type OpenApiReport, type OpenApiServer, type ServedOperation } from '../openapi/from-openapi.ts'
export {
  type ApiCredential,
  type ApiCredentialSource,
  type ApiSecurityScheme,
  OPENAPI_LIMITS,
  type OpenApiLimits,
  type OpenApiOptions,
  type OpenApiRoute,
  type OperationOverrides,
  type OperationTarget,
} from '../openapi/options.ts'
