import { isObject } from '../../../jsonrpc/message.ts'
import { endpointPathOf } from '../../../protocol/http.ts'
import type { DiagnosisState, HttpAttempt, HttpObservation } from '../facts.ts'
import { errorProblem, warningProblem } from '../outcome.ts'
import { portOf } from '../port-of.ts'
import { shakeHands } from '../steps/tls.ts'
import type { DiagnosisProblem } from '../types.ts'
import { runAttempt } from './attempts.ts'
import { explainRedirect } from './explain-redirect.ts'
import { findServerNearby } from './find-server.ts'
import { explainIntermediary } from './intermediaries.ts'
import { readEvents, readRpcResponse } from './messages.ts'
import { hasType } from './send-http.ts'

/** Explains why none of the attempts reached an MCP server. */
export async function explainAttempts(attempts: readonly HttpAttempt[], state: DiagnosisState): Promise<DiagnosisProblem> {
  const telling = attempts.find(({ observation }) => observation.status === undefined) ?? mostTelling(attempts)
  const { observation } = telling
  if (observation.status === undefined) return explainNoResponse(observation, state)
  return explainStatus(observation, state)
}

/** The response to `initialize` says more than that to a request of the newest revision, which an older server need not understand. */
function mostTelling(attempts: readonly HttpAttempt[]): HttpAttempt {
  const posts = attempts.filter(({ name }) => name !== 'sse')
  return posts.find(({ observation }) => isPage(observation)) ?? (posts.at(-1) as HttpAttempt)
}

async function explainNoResponse(
  { error, url, method }: HttpObservation,
  { stepTimeoutMs }: DiagnosisState,
): Promise<DiagnosisProblem> {
  if (error?.code === 'TIMEOUT')
    return errorProblem(
      'no-response',
      `The server accepts the connection but does not respond to ${method} ${url.pathname}`,
      'Check the log of the server: does the request reach it, and does its handler respond? A proxy in between may wait for a server that is down.',
    )
  if (url.protocol === 'http:' && (await speaksTls(url, Math.min(stepTimeoutMs, 1500)))) {
    const secure = new URL(`https://${url.hostname}:${portOf(url)}${url.pathname}${url.search}`)
    return errorProblem('port-speaks-tls', `Port ${portOf(url)} speaks TLS, but the URL uses http`, `Use ${secure.href}.`)
  }
  if (error?.code.startsWith('HPE_'))
    return errorProblem(
      'not-http',
      `Port ${portOf(url)} does not speak HTTP (${error.code})`,
      'Check the port: another kind of server listens there.',
    )
  return errorProblem(
    'connection-broken',
    `The server closes the connection instead of responding (${error?.code || error?.message})`,
    'Check the log of the server: it may have crashed. A proxy may have closed the connection.',
  )
}

async function speaksTls(url: URL, timeoutMs: number): Promise<boolean> {
  return shakeHands(url, timeoutMs).then(
    () => true,
    () => false,
  )
}

/** One function for each kind of response; the first that returns a problem wins. */
const EXPLANATIONS: readonly ((observation: HttpObservation, state: DiagnosisState) => Promise<DiagnosisProblem | undefined>)[] =
  [
    explainRedirect,
    explainIntermediary,
    explainForbidden,
    explainPath,
    explainServerError,
    explainMediaType,
    explainPage,
    explainMethod,
    explainEmpty,
    explainBuffering,
  ]

/** The statuses that matter more than the JSON-RPC error in their body: those of proxies, and of checks before the message is read. */
const TELLING_STATUSES = new Set([403, 406, 415, 421, 429, 500, 502, 503, 504])

/** Explains a response with a JSON-RPC error whose status says more than the error, or that names another path. */
export async function explainRefusal({ observation }: HttpAttempt, state: DiagnosisState): Promise<DiagnosisProblem | undefined> {
  const tells = TELLING_STATUSES.has(observation.status ?? 0) || namedPathOf(observation) !== undefined
  return tells ? explainStatus(observation, state) : undefined
}

/** Returns the path of the endpoint that the response to a request for another path names. */
function namedPathOf(observation: HttpObservation): string | undefined {
  const { error } = readRpcResponse(observation) ?? {}
  return observation.status === 404 && isObject(error) ? endpointPathOf(error) : undefined
}

async function explainStatus(observation: HttpObservation, state: DiagnosisState): Promise<DiagnosisProblem> {
  for (const explain of EXPLANATIONS) {
    const problem = await explain(observation, state)
    if (problem) return problem
  }
  return errorProblem(
    'not-mcp',
    `The response is not a JSON-RPC message (HTTP ${observation.status}, ${observation.headers['content-type'] ?? 'no content type'})`,
    'Check that this is the URL of an MCP server.',
  )
}

/** Sends the request again with another Host header, to find out whether the server checks it. */
async function explainForbidden(observation: HttpObservation, state: DiagnosisState): Promise<DiagnosisProblem | undefined> {
  const { status, body, url } = observation
  if (status !== 403 && status !== 421) return undefined
  const { headers } = state.options
  const local = {
    options: { ...state.options, headers: { ...headers, host: `localhost:${portOf(url)}` } },
    stepTimeoutMs: 1500,
    signal: state.signal,
  }
  const again = await runAttempt('discover', local, url)
  const accepts = again.observation.status !== undefined && again.observation.status !== 403 && again.observation.status !== 421
  if (accepts || status === 421 || /\bhost\b/i.test(body))
    return errorProblem(
      'host-refused',
      `The server refuses the Host header ${url.host} (HTTP ${status})`,
      `Add ${url.hostname} to the allowed hosts of the server, or use a name that it allows${accepts ? `, such as localhost:${portOf(url)}` : ''}.`,
    )
  if (/\borigin\b/i.test(body))
    return errorProblem(
      'origin-refused',
      'The server refuses the Origin header (HTTP 403)',
      'Add the origin to the allowed origins of the server.',
    )
  return errorProblem(
    'forbidden',
    'The server refuses the request (HTTP 403)',
    'Check the rules of the server, its proxy and its firewall, and whether a header with credentials is missing.',
  )
}

/** Looks for an MCP server at the usual paths. */
async function explainPath(observation: HttpObservation, state: DiagnosisState): Promise<DiagnosisProblem | undefined> {
  const { status, url } = observation
  if (status !== 404 && status !== 410) return undefined
  const named = namedPathOf(observation)
  const found = named === undefined ? await findServerNearby(url, state) : new URL(named, url)
  return errorProblem(
    'path-not-found',
    `The path ${url.pathname} does not exist (HTTP ${status})`,
    found === undefined
      ? 'Check the path in the documentation or the configuration of the server. Most servers use /mcp.'
      : `An MCP server answers at ${found.href}: use this URL.`,
  )
}

async function explainPage(observation: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (!isPage(observation)) return undefined
  const title = titleOf(observation)
  return errorProblem(
    'html',
    `The URL is a web page${title === '' ? '' : ` (“${title}”)`}, not an MCP server (HTTP ${observation.status})`,
    'Check the path; most servers use /mcp. A proxy, a login page or an error page can also be in between.',
  )
}

async function explainMethod({ status, headers, url }: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (status !== 405 && status !== 501) return undefined
  const allow = headers['allow']
  return errorProblem(
    'post-not-allowed',
    `${url.pathname} does not accept POST${allow === undefined ? '' : `, only ${allow}`} (HTTP ${status})`,
    'Check the path. Servers with the older HTTP+SSE transport send an event stream in response to GET.',
  )
}

async function explainServerError(observation: HttpObservation): Promise<DiagnosisProblem | undefined> {
  const { status = 0, headers } = observation
  if (status === 429)
    return errorProblem(
      'rate-limited',
      'The server refuses the request because there were too many (HTTP 429)',
      `Try again ${headers['retry-after'] ? `after ${headers['retry-after']} seconds` : 'later'}.`,
    )
  if (status < 500 || status === 501) return undefined
  const reason = reasonOf(observation)
  const said = reason === '' ? '' : `: ${reason}`
  if (status === 504)
    return errorProblem(
      'server-unavailable',
      `A proxy waits for the server in vain (HTTP 504)${said}`,
      'The server behind the proxy is too slow, or does not respond: look at its log. If it responds with a stream, let the proxy pass it on without buffering.',
    )
  if (status === 502 || status === 503) {
    // Proxies answer with pages; a server that is overloaded or stops, and gateways of APIs, with JSON.
    const who = hasType(observation, 'application/json')
      ? 'The server, or a proxy in front of it, is not available'
      : 'A proxy answers instead of the server'
    return errorProblem(
      'server-unavailable',
      `${who} (HTTP ${status})${said}`,
      'The server behind the proxy is down, is starting, or listens at another address: check that it runs, and where the proxy sends the requests.',
    )
  }
  return errorProblem('server-error', `The server fails (HTTP ${status})${said}`, 'Look at the log of the server.')
}

/** Returns what a response says about itself: the message of its JSON-RPC error, or the title of its page. */
function reasonOf(observation: HttpObservation): string {
  const { error } = readRpcResponse(observation) ?? {}
  return isObject(error) && typeof error.message === 'string' ? error.message.slice(0, 200) : titleOf(observation)
}

async function explainMediaType({ status, sent }: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (status === 406)
    return errorProblem(
      'media-type-refused',
      'The server says that the request does not accept its media types (HTTP 406)',
      `The request has the header Accept: ${sent['accept']}. If the server has to see both types, a proxy in between removes or replaces the header: pass it on unchanged.`,
    )
  if (status !== 415) return undefined
  return errorProblem(
    'media-type-refused',
    'The server says that the request has the wrong media type (HTTP 415)',
    `The request has the header Content-Type: ${sent['content-type']}. The server has to accept this type; a proxy in between has to pass the header on unchanged.`,
  )
}

async function explainEmpty({ status, headers, body }: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (status === undefined || status > 299 || body !== '' || headers['content-type']?.includes('event-stream')) return undefined
  return errorProblem('empty-response', 'The response is empty', 'Respond to a JSON-RPC request with a JSON-RPC response.')
}

/** A stream that opens, and whose first event does not arrive. */
async function explainBuffering(observation: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (observation.status !== 200 || !hasType(observation, 'text/event-stream')) return undefined
  if (observation.isComplete || readEvents(observation.body).length > 0) return undefined
  return errorProblem(
    'stream-buffered',
    'The server responds with an event stream, but no event arrives in time',
    'If the server sends its response, a proxy holds it back: switch its buffering and compression of text/event-stream off (nginx: proxy_buffering off, or the response header X-Accel-Buffering: no). Some tunnels cannot pass streams on; let the server respond with application/json then.',
  )
}

function titleOf({ body }: HttpObservation): string {
  const [, title = ''] = /<title[^<>]*>([^<]{0,100})/i.exec(body) ?? []
  return title.trim()
}

function isPage(observation: HttpObservation): boolean {
  return hasType(observation, 'text/html') || /^\s*<(!doctype html|html)/i.test(observation.body)
}

/** Returns what is wrong with the HTTP of an attempt that reached an MCP server. */
export function httpProblemsOf({ name, observation }: HttpAttempt): DiagnosisProblem[] {
  if (name === 'sse')
    return [
      warningProblem(
        'sse-only',
        'The server speaks only the HTTP+SSE transport, which was replaced in 2025',
        'Serve Streamable HTTP too: newer clients do not support HTTP+SSE.',
      ),
    ]
  const type = observation.headers['content-type'] ?? 'no content type'
  if (hasType(observation, 'application/json') || hasType(observation, 'text/event-stream')) {
    const isStream = hasType(observation, 'text/event-stream')
    if (isStream && readEvents(observation.body).length === 0 && readRpcResponse(observation))
      return [
        errorProblem(
          'not-an-event-stream',
          'The content type is text/event-stream, but the body is JSON',
          'Send application/json, or events.',
        ),
      ]
    return []
  }
  return [
    errorProblem(
      'wrong-content-type',
      `The response is a JSON-RPC message, but its content type is ${type}`,
      'Send Content-Type: application/json, or text/event-stream for a stream.',
    ),
  ]
}
