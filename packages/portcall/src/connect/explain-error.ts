/** Adds to the error of a failed `connect` what to change. It is loaded on demand, because most connections succeed. */

import { isUrl } from '../../../util/src/parse-url.ts'
import { adviceForOutput } from '../../../util/src/served-url.ts'
import { TimeoutError } from '../client/errors.ts'
import { ConnectionLostError, InvalidResponseError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import { usesEnvironmentProxy } from '../net/environment-proxy.ts'
import { REVISIONS } from '../protocol/revisions.ts'
import { HttpStatusError } from '../transports/http/client/http-status-error.ts'

/** How a connection was attempted. */
export interface ConnectAttempt {
  readonly target: unknown
  readonly hasAuth: boolean
  /** True if an option decides about proxies. */
  readonly usesProxy: boolean
  /** The last text on the server's stdout that is not a message. */
  readonly strayOutput: string | undefined
}

const TRUST =
  'If your network inspects TLS, name the certificate of its authority in the environment variable NODE_EXTRA_CA_CERTS'

/** Reasons why no connection could be opened, by the error code of the platform. */
const NO_CONNECTION: { readonly [code: string]: string } = {
  ECONNREFUSED: 'the connection was refused. Is the server running, and is the port right?',
  ConnectionRefused: 'the connection was refused. Is the server running, and is the port right?',
  ENOTFOUND: 'the host name does not exist. Check its spelling',
  EAI_AGAIN: 'the host name could not be resolved. Check its spelling and your network',
  EHOSTUNREACH: 'the host is unreachable. Check the address and your network',
  ENETUNREACH: 'the network is unreachable. Check your network',
  EPROTO: 'TLS failed. Does the server use http: instead of https:?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'TLS failed. Does the server use http: instead of https:?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed. Add it with the environment variable NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the certificate was issued by an unknown authority. ${TRUST}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the certificate was issued by an unknown authority. ${TRUST}`,
  CERT_HAS_EXPIRED: 'the certificate of the server has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the server is for another name',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain is self-signed. Add it with the environment variable NODE_EXTRA_CA_CERTS',
}

/** Changes the message of an error so that it says what to change, where that is known. */
export function explainError(error: unknown, attempt: ConnectAttempt): void {
  explainBy(EXPLANATIONS, error, attempt)
}

/** Does the same where the caller passed no target: for a server that cannot be reached or does not respond. */
export function explainUnreachable(error: unknown, strayOutput: string | undefined): void {
  explainBy([explainNoConnection, explainTimeout], error, { target: undefined, hasAuth: false, usesProxy: true, strayOutput })
}

function explainBy(explanations: readonly Explanation[], error: unknown, attempt: ConnectAttempt): void {
  if (!(error instanceof Error)) return
  const message = explanations.map((explain) => explain(error, attempt)).find((text) => text !== undefined)
  if (message !== undefined) setMessage(error, message)
}

/** The stack repeats the message, and it is what runtimes print. */
function setMessage(error: Error, message: string): void {
  const stack = error.stack?.replace(error.message, () => message)
  error.message = message
  if (stack !== undefined) error.stack = stack
}

/** Returns the complete message, or `undefined` if the error is another one. */
type Explanation = (error: Error, attempt: ConnectAttempt) => string | undefined

const EXPLANATIONS: readonly Explanation[] = [
  explainCommand,
  explainTarget,
  explainNoConnection,
  explainPath,
  explainStatus,
  explainResponse,
  explainTimeout,
]

function explainTarget(error: Error, { target }: ConnectAttempt): string | undefined {
  if (!(error instanceof TypeError)) return undefined
  if (error.message.startsWith('Unknown protocol version'))
    return `${error.message}. Use one of ${REVISIONS.map(({ version }) => version).join(', ')}, or leave protocolVersion out`
  if (typeof target === 'string') return `${error.message}.${hintForText(target)}`
  if (target instanceof URL || typeof target === 'function') return undefined
  const isKnown = isObject(target) && ('command' in target || 'exchange' in target || 'receive' in target)
  if (!isKnown) return `${error.message}, not ${describeTarget(target)}`
  return undefined
}

function explainCommand(_error: Error, { target }: ConnectAttempt): string | undefined {
  if (!isObject(target) || !('command' in target) || typeof target.command === 'string') return undefined
  return `command must be a string: connect({ command: 'node', args: ['server.js'] })`
}

function hintForText(target: string): string {
  if (target.trim() === '') return ' It is empty: is a variable not set?'
  if (/^[\w.-]+:\d+(\/|$)/.test(target) || (/^[\w-]+(\.[\w-]+)+(\/|$)/.test(target) && !/\.[cm]?[jt]s$/.test(target))) {
    const [host = '', ...path] = target.split('/')
    const scheme = /^(localhost|127\.|\[)/.test(host) ? 'http' : 'https'
    return ` Did you mean ${scheme}://${host}/${path.join('/') || 'mcp'}?`
  }
  const [command = '', ...args] = target.trim().split(/\s+/)
  if (/\.[cm]?[jt]s$/.test(command)) return ` Did you mean { command: 'node', args: ['${command}'] }?`
  if (args.length > 0) return ` Did you mean { command: '${command}', args: [${args.map((arg) => `'${arg}'`).join(', ')}] }?`
  return ''
}

function describeTarget(target: unknown): string {
  if (target instanceof Promise) return 'a Promise: await it'
  if (!isObject(target)) return String(target)
  const name = target.constructor?.name
  if (name !== undefined && name !== 'Object') return `an instance of ${name}`
  if ('url' in target) return 'an object with a url: pass the URL itself'
  return `an object with ${Object.keys(target).slice(0, 5).join(', ') || 'no members'}`
}

function explainNoConnection(error: Error, attempt: ConnectAttempt): string | undefined {
  if (!(error instanceof ConnectionLostError)) return undefined
  const url = /https?:\/\/\S+/.exec(error.message)?.[0]
  const code = codeOf(error.cause)
  const reason = NO_CONNECTION[code]
  if (url === undefined || reason === undefined) return undefined
  return `Could not connect to ${url}: ${reason} (${code})${UNREACHABLE.has(code) ? proxyHint(url, attempt) : ''}`
}

/** The errors of a machine that reaches others only through a proxy. */
const UNREACHABLE: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Names the variable with a proxy that was not used. */
function proxyHint(url: string, { usesProxy }: ConnectAttempt): string {
  const { process } = globalThis as { process?: { readonly env?: Readonly<Record<string, string | undefined>> } }
  const name = url.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const set = [name, name.toLowerCase()].find((one) => process?.env?.[one])
  if (set === undefined || usesProxy || usesEnvironmentProxy()) return ''
  return `. ${set} is set, but was not used: pass proxy: 'env', or set NODE_USE_ENV_PROXY=1`
}

/** Returns the error code of the platform. Node reports one error for each address of a host name; `fetch` has the error as its cause. */
function codeOf(error: unknown): string {
  if (!isObject(error)) return ''
  if (typeof error.code === 'string') return error.code
  const [first] = Array.isArray(error.errors) ? error.errors : []
  return codeOf(first ?? error.cause)
}

/** A server of this library names its path in the response to a request for another one. */
function explainPath({ message }: Error, { target }: ConnectAttempt): string | undefined {
  const path = /the endpoint is at (\/\S*)$/.exec(message)?.[1]
  if (path === undefined) return undefined
  return `${message}. Connect to ${new URL(path, String(target))} instead of ${String(target)}`
}

function explainStatus(error: Error, { hasAuth }: ConnectAttempt): string | undefined {
  if (!(error instanceof HttpStatusError)) return undefined
  const { status, message } = error
  if (status === 401)
    return hasAuth
      ? `${message}. The server refused the token that auth sent`
      : `${message}. Pass a token: connect(url, { auth: bearerToken(() => token) }), with bearerToken from portcall/auth/client`
  if (status === 404 || status === 405 || isPage(error.header('content-type'))) return `${message}.${pathHint(message)}`
  return undefined
}

function explainResponse(error: Error): string | undefined {
  return error instanceof InvalidResponseError && isPage(error.message)
    ? `${error.message}.${pathHint(error.message)}`
    : undefined
}

function isPage(text = ''): boolean {
  return text.includes('text/html')
}

/** Suggests the usual path of an endpoint, unless the URL has it. */
function pathHint(message: string): string {
  const text = /https?:\/\/[^\s:]+(:\d+)?[^\s:]*/.exec(message)?.[0] ?? ''
  if (!isUrl(text)) return ''
  const { origin, pathname } = new URL(text)
  return pathname === '/mcp' ? ' Is this the URL of an MCP server?' : ` Check the path; most servers use ${origin}/mcp`
}

function explainTimeout(error: Error, { strayOutput }: ConnectAttempt): string | undefined {
  if (!(error instanceof TimeoutError)) return undefined
  const output = strayOutput === undefined ? '' : explainOutput(strayOutput)
  const option = error.message.startsWith('server/discover') ? 'probeTimeoutMs' : 'connectTimeoutMs'
  return `${error.message.replace(/\(timeouts\.\w+\)/, `(${option})`)}${output}`
}

function explainOutput(strayOutput: string): string {
  const advice = adviceForOutput(strayOutput)
  return advice === ''
    ? `. The server printed this to stdout, where only messages are allowed; print with console.error instead:\n${strayOutput}`
    : `. ${advice}. The server printed this to stdout:\n${strayOutput}`
}
