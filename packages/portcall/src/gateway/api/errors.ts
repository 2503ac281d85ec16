import { errorMessage, PortcallError } from '../../../../util/src/errors.ts'
import { ConnectionLostError, ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { retryData, retryDelayOf } from '../../jsonrpc/retryable.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import { HttpStatusError } from '../../transports/http/client/http-status-error.ts'
import { SpawnError } from '../../transports/stdio/spawn-error.ts'

/** Thrown when a server of a gateway is not available. The gateway tries to reach it again in the background. */
export class UpstreamUnavailableError extends PortcallError {
  override readonly name = 'UpstreamUnavailableError'
  readonly code = 'UPSTREAM_UNAVAILABLE'
  /** The name of the server. */
  readonly server: string
  /** A later attempt may succeed. */
  readonly retryable = true

  /** `cause` is why the server could not be reached. */
  constructor(server: string, cause: unknown) {
    super(`The server ${server} is not available: ${describeToCaller(cause)}`, { cause })
    this.server = server
  }
}

/**
 * Throw it where a request to a server is authorized or sent when the user has to do something first, such as to sign in. The caller gets the
 * input requests; when the caller has answered them, the gateway sends the request again.
 */
export class UserInputRequiredError extends PortcallError {
  override readonly name = 'UserInputRequiredError'
  readonly code = 'USER_INPUT_REQUIRED'
  /** The input requests, by key. */
  readonly inputRequests: { readonly [key: string]: InputRequest }

  /** `inputRequests` are sent to the caller, by key. */
  constructor(message: string, inputRequests: { readonly [key: string]: InputRequest }, options?: ErrorOptions) {
    super(message, options)
    this.inputRequests = inputRequests
  }
}

/** Finds an error of this kind among an error and its causes. */
export function findUserInputRequired(error: unknown): UserInputRequiredError | undefined {
  return findCause(error, (cause) => cause instanceof UserInputRequiredError)
}

/** Reports whether an error, or one of its causes, is of some kind. */
export function hasCause(error: unknown, matches: (cause: Error) => boolean): boolean {
  return findCause(error, (cause): cause is Error => matches(cause)) !== undefined
}

function findCause<T extends Error>(error: unknown, matches: (cause: Error) => cause is T): T | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++)
    if (matches(cause)) return cause
  return undefined
}

/** Returns the error that a caller gets when a server could not answer a request. It says whether the caller may send the request again. */
export function unavailable(server: string, error: unknown, method?: string): RpcError {
  const { message } = error instanceof UpstreamUnavailableError ? error : new UpstreamUnavailableError(server, error)
  const delayMs = method !== 'tools/call' || isNotSent(error) ? retryDelayOf(error) : undefined
  return new RpcError(ErrorCode.internalError, message, { server, ...(delayMs !== undefined && retryData(delayMs)) })
}

/** Reports whether a request was not sent, or was answered with a request to send it again. */
function isNotSent(error: unknown): boolean {
  if (error instanceof UpstreamUnavailableError) return true
  return error instanceof HttpStatusError && [429, 503].includes(error.status) && error.header('retry-after') !== undefined
}

/**
 * Describes why a server is not available, without details for its operator: paths and command lines of this machine, output of a program, and
 * paths of URLs. Its status and events have the whole message.
 */
export function describeToCaller(error: unknown): string {
  if (error instanceof UpstreamUnavailableError) return describeToCaller(error.cause)
  const spawnError = findCause(error, (cause) => cause instanceof SpawnError)
  if (spawnError) {
    const { cause } = spawnError
    return `its program could not be started${cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''}`
  }
  const exit = findCause(error, (cause): cause is ConnectionLostError => cause instanceof ConnectionLostError)?.exit
  if (exit) return `its program ${exit.summary}`
  return errorMessage(error).replaceAll(URLS, (url) => {
    const [end = ''] = /(?<![:;,.])[:;,.]+$/.exec(url) ?? []
    const [origin = ''] = url.slice(0, url.length - end.length).match(/^https?:\/\/[^/?#]*/) ?? []
    return origin + end
  })
}

const URLS = /\bhttps?:\/\/[^\s"')]+/g
