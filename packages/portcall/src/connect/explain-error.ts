/** Adds to the error of a failed `connect` what to change. It is loaded on demand, because most connections succeed. */

import { adviceIn, situationOf } from '../../../util/src/advice.ts'
import { connectionFault, systemCodeOf } from '../../../util/src/connection-faults.ts'
import { type ErrorAdvice, setMessage } from '../../../util/src/errors.ts'
import { adviceForOutput } from '../../../util/src/served-url.ts'
import { TimeoutError } from '../client/errors.ts'
import { ConnectionLostError, InvalidResponseError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import { usesEnvironmentProxy } from '../net/environment-proxy.ts'
import { endpointPathOf } from '../protocol/http.ts'
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

/** Adds to an error what to change, where that is known. */
export function explainError(error: unknown, attempt: ConnectAttempt): void {
  explainBy(EXPLANATIONS, error, attempt)
}

/** Does the same where the caller passed no target: for a server that cannot be reached or does not respond. */
export function explainUnreachable(error: unknown, strayOutput: string | undefined): void {
  explainBy([explainNoConnection, explainTimeout], error, { target: undefined, hasAuth: false, usesProxy: true, strayOutput })
}

function explainBy(explanations: readonly Explanation[], error: unknown, attempt: ConnectAttempt): void {
  if (!(error instanceof Error)) return
  for (const explain of explanations) {
    const explained = explain(error, attempt)
    if (explained === undefined) continue
    const { message, ...advice } = typeof explained === 'string' ? { message: explained } : explained
    setMessage(error, message)
    if (typeof explained !== 'string') Object.assign(error, { advice })
    return
  }
}

/** The complete message, and its parts. */
interface Explained extends ErrorAdvice {
  readonly message: string
}

/** Returns the explanation, or only the message for a mistake in the program; `undefined` if the error is another one. */
type Explanation = (error: Error, attempt: ConnectAttempt) => Explained | string | undefined

const EXPLANATIONS: readonly Explanation[] = [
  explainCommand,
  explainTarget,
  explainNoConnection,
  explainPath,
  explainStatus,
  explainResponse,
  explainTimeout,
]

function explained(situation: string, reason: string, text: string): Explained {
  return { situation, reason, text, message: `${reason}. ${text}` }
}

function explainTarget(error: Error, { target }: ConnectAttempt): string | undefined {
  if (!(error instanceof TypeError)) return undefined
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

function explainNoConnection(error: Error, attempt: ConnectAttempt): Explained | undefined {
  if (!(error instanceof ConnectionLostError)) return undefined
  const { url } = error
  const code = systemCodeOf(error.cause)
  const known = connectionFault(code)
  if (url === undefined || known === undefined) return undefined
  const { code: situation, fault, advice } = known
  const hint = UNREACHABLE.has(code) ? proxyHint(url, attempt) : ''
  const start = `Could not connect to ${url}: ${fault}`
  return { situation, reason: `${start} (${code})`, text: `${advice}${hint}`, message: `${start}. ${advice} (${code})${hint}` }
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

/** A server of this library names its path in the response to a request for another one. */
function explainPath(error: Error, { target }: ConnectAttempt): Explained | undefined {
  const path = endpointPathOf(error)
  if (path === undefined) return undefined
  return explained('wrong-path', error.message, `Connect to ${new URL(path, String(target))} instead of ${String(target)}`)
}

function explainStatus(error: Error, { hasAuth }: ConnectAttempt): Explained | undefined {
  if (!(error instanceof HttpStatusError)) return undefined
  const { status, message, url } = error
  const situation = situationOfStatus(error, hasAuth)
  if (situation !== undefined) return explained(situation, message, adviceIn(situation, 'program'))
  return status === 404 || status === 405 || isPage(error.header('content-type')) ? suspectPath(message, url) : undefined
}

/** Returns the situation that a status tells, whatever the path. */
function situationOfStatus(error: HttpStatusError, hasAuth: boolean): string | undefined {
  const { status } = error
  if (status === 401) return hasAuth ? 'token-refused' : 'token-missing'
  if (status === 403 && isPage(error.header('content-type'))) return 'refused-by-proxy'
  return status === 429 || status >= 500 ? situationOf(error) : undefined
}

function explainResponse(error: Error): Explained | undefined {
  if (!(error instanceof InvalidResponseError) || error.url === undefined || !isPage(error.contentType)) return undefined
  return suspectPath(error.message, error.url)
}

function isPage(contentType = ''): boolean {
  return contentType.includes('text/html')
}

/** Suggests the usual path of an endpoint, unless the URL has it. */
function suspectPath(message: string, url: string): Explained {
  const { origin, pathname } = new URL(url)
  return pathname === '/mcp'
    ? explained('not-mcp', message, 'Is this the URL of an MCP server?')
    : explained('wrong-path', message, `Check the path; most servers use ${origin}/mcp`)
}

/** Names the option of `connect`, and what the server printed instead of a response. */
function explainTimeout(error: Error, { strayOutput }: ConnectAttempt): Explained | undefined {
  if (!(error instanceof TimeoutError)) return undefined
  const { method, timeoutMs } = error
  const reason = `${method} received no response within ${timeoutMs} ms`
  const option = method === 'server/discover' ? 'probeTimeoutMs' : 'connectTimeoutMs'
  if (strayOutput === undefined) return { situation: 'timeout', reason, text: option, message: `${reason} (${option})` }
  const output = explainOutput(strayOutput)
  return { situation: 'stray-output', reason: `${reason}. ${output}`, text: option, message: `${reason} (${option}). ${output}` }
}

function explainOutput(strayOutput: string): string {
  const advice = adviceForOutput(strayOutput)
  return advice === ''
    ? `The server printed this to stdout, where only messages are allowed; print with console.error instead:\n${strayOutput}`
    : `${advice}. The server printed this to stdout:\n${strayOutput}`
}
