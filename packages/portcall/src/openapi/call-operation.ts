/** Calls an operation of an API: from arguments to a result. */
import type { Call, CallToolResult } from '../entrypoints/index.ts'
import type { JsonObject } from '../entrypoints/jsonrpc.ts'
import type { OpenApiLimits, OpenApiOptions, OperationOverrides } from './options.ts'
import type { GetCredentials, RequestCredentials } from './requests/credentials.ts'
import type { RequestPlan } from './requests/plan.ts'
import { type ApiRequest, buildRequest } from './requests/request.ts'
import { type ApiResponse, sendRequest } from './requests/send.ts'
import type { OutputSchema } from './responses/output.ts'
import { toResult } from './responses/result.ts'

/** An operation that is ready to be called. */
export interface CallableOperation {
  readonly plan: RequestPlan
  readonly overrides: OperationOverrides
  readonly output: OutputSchema | undefined
  readonly baseUrl: URL
  readonly getCredentials: GetCredentials
  /** Whether the base URL is one that credentials and configured headers may be sent to. */
  readonly isTrusted: boolean
  readonly options: OpenApiOptions
  readonly limits: OpenApiLimits
}

const NO_CREDENTIALS: RequestCredentials = { headers: {}, query: {}, cookies: {}, secrets: [] }

/** Calls an operation as a tool. @throws ToolError when the API responds with an error, or cannot be reached. */
export async function callAsTool(operation: CallableOperation, args: JsonObject, call: Call): Promise<CallToolResult> {
  const { plan, output, overrides, limits } = operation
  const { response, request, secrets } = await callOperation(operation, args, call)
  return toResult(response, {
    plan,
    output,
    select: overrides.select,
    maxChars: limits.maxResultChars,
    secrets,
    call,
    uri: `${request.url.origin}${request.url.pathname}`,
  })
}

/** The response to a call, with the request and the texts that must not appear in results. */
export interface OperationResponse {
  readonly response: ApiResponse
  readonly request: ApiRequest
  readonly secrets: readonly string[]
}

/** Sends the request of an operation. */
export async function callOperation(operation: CallableOperation, args: JsonObject, call: Call): Promise<OperationResponse> {
  const { plan, baseUrl, getCredentials, isTrusted, options, limits } = operation
  const credentials = isTrusted ? await getCredentials(call) : NO_CREDENTIALS
  const headers = !isTrusted ? {} : typeof options.headers === 'function' ? options.headers(call) : (options.headers ?? {})
  const allArgs = { ...args, ...(await fixedArguments(operation.overrides, call)) }
  const request = buildRequest({ plan, args: allArgs, baseUrl, credentials, headers })
  const { fetch = globalThis.fetch } = options
  const timeoutMs = operation.overrides.timeoutMs ?? limits.timeoutMs
  const response = await sendRequest(request, { fetch, timeoutMs, maxBytes: limits.maxResponseBytes, signal: call.signal })
  const authorization = Object.entries(headers).filter(([name]) => /auth|key|token|secret|cookie/i.test(name))
  const secrets = [...credentials.secrets, ...authorization.flatMap(([, value]) => [value, value.replace(/^\w+ /, '')])]
  return { response, request, secrets: secrets.filter((secret) => secret.length > 3) }
}

async function fixedArguments({ fixed = {} }: OperationOverrides, call: Call): Promise<JsonObject> {
  const entries = Object.entries(fixed).map(
    async ([name, value]) => [name, typeof value === 'function' ? await value(call) : value] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}
