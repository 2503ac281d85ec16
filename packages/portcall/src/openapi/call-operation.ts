/** Calls an operation of an API: from arguments to a result. */

import { fromBase64 } from '../../../util/src/base64.ts'
import { isSecretParameter } from '../../../util/src/secret-names.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult } from '../protocol/types.ts'
import type { Call } from '../server/call.ts'
import { ToolError } from '../server/errors.ts'
import type { OpenApiLimits, OpenApiOptions, OperationOverrides } from './options.ts'
import type { GetCredentials, RequestCredentials } from './requests/credentials.ts'
import { knownArguments, type RequestPlan } from './requests/plan.ts'
import { type ApiRequest, buildRequest } from './requests/request.ts'
import { type ApiResponse, sendRequest } from './requests/send.ts'
import type { OutputSchema } from './responses/output.ts'
import { createCredentialRedactor, type Redactor } from './responses/redact.ts'
import { toResult } from './responses/result.ts'

/** An operation that is ready to be called. */
export interface CallableOperation {
  readonly plan: RequestPlan
  readonly overrides: OperationOverrides
  readonly output: OutputSchema | undefined
  readonly baseUrl: URL
  /** The URL that decides which addresses requests may reach. */
  readonly trustedUrl: URL
  readonly getCredentials: GetCredentials
  /** True if the base URL is one that credentials and configured headers may be sent to. */
  readonly isTrusted: boolean
  /** Why calls are refused, if they are. */
  readonly refusal: string | undefined
  readonly options: OpenApiOptions
  readonly limits: OpenApiLimits
}

const NO_CREDENTIALS: RequestCredentials = { headers: {}, query: {}, cookies: {}, secrets: [] }

/** Calls an operation as a tool. @throws ToolError when the API responds with an error, or cannot be reached. */
export async function callAsTool(operation: CallableOperation, args: JsonObject, call: Call): Promise<CallToolResult> {
  const { plan, output, overrides, limits } = operation
  const { response, request, redactor } = await callOperation(operation, args, call)
  return toResult(response, {
    plan,
    output,
    select: overrides.select,
    maxChars: limits.maxResultChars,
    redactor,
    call,
    uri: `${request.url.origin}${request.url.pathname}`,
  })
}

/** The response to a call, with the request and what removes its credentials from results. */
export interface OperationResponse {
  readonly response: ApiResponse
  readonly request: ApiRequest
  readonly redactor: Redactor
}

/** Sends the request of an operation. */
export async function callOperation(operation: CallableOperation, args: JsonObject, call: Call): Promise<OperationResponse> {
  const { plan, baseUrl, trustedUrl, getCredentials, isTrusted, options, limits } = operation
  if (operation.refusal !== undefined) throw new ToolError(`${plan.operation.id} is not called: ${operation.refusal}`)
  const credentials = isTrusted ? await getCredentials(call) : NO_CREDENTIALS
  const headers = !isTrusted ? {} : typeof options.headers === 'function' ? options.headers(call) : (options.headers ?? {})
  const allArgs = { ...knownArguments(plan, args), ...(await fixedArguments(operation.overrides, call)) }
  const request = buildRequest({ plan, args: allArgs, baseUrl, credentials, headers })
  const { fetch, allow = [] } = options
  const timeoutMs = operation.overrides.timeoutMs ?? limits.timeoutMs
  const sending = { fetch, trustedUrl, allow, timeoutMs, maxBytes: limits.maxResponseBytes, signal: call.signal }
  const response = await sendRequest(request, sending)
  return {
    response,
    request,
    redactor: createCredentialRedactor([...credentials.secrets, ...configuredSecrets(baseUrl, headers)]),
  }
}

/** In requests to an API, `key` is the name of a credential. Elsewhere, it is that of a member of a map. */
const KEY_NAME = /(?:key|session|auth|signature)$/i

/** Returns the secrets in configured headers and in the query of the base URL, by the names of the members. */
function configuredSecrets(baseUrl: URL, headers: Readonly<Record<string, string>>): string[] {
  const members = [...Object.entries(headers), ...baseUrl.searchParams]
  return members.flatMap(([name, value]) => (isSecretParameter(name) || KEY_NAME.test(name) ? secretsIn(name, value) : []))
}

/** Returns the secrets in a value: itself, without its authentication scheme, each cookie, and the password of a Basic credential. */
function secretsIn(name: string, value: string): string[] {
  if (/cookie/i.test(name)) return [value, ...value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())]
  const [, scheme = '', rest = ''] = /^([\w-]+) +(\S.*)$/s.exec(value) ?? []
  const pair = scheme.toLowerCase() === 'basic' ? decodeBase64(rest) : ''
  return [value, rest, pair, pair.slice(pair.indexOf(':') + 1)]
}

function decodeBase64(text: string): string {
  try {
    return new TextDecoder().decode(fromBase64(text))
  } catch {
    return ''
  }
}

async function fixedArguments({ fixed = {} }: OperationOverrides, call: Call): Promise<JsonObject> {
  const entries = Object.entries(fixed).map(
    async ([name, value]) => [name, typeof value === 'function' ? await value(call) : value] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}
