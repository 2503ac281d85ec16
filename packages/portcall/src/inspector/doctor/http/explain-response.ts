import { parseUrl } from '../../../util/parse-url.ts'
import type { DiagnosisState, HttpAttempt, HttpObservation } from '../facts.ts'
import { errorProblem, warningProblem } from '../outcome.ts'
import { portOf } from '../port-of.ts'
import { shakeHands } from '../steps/tls.ts'
import type { DiagnosisProblem } from '../types.ts'
import { runAttempt } from './attempts.ts'
import { readEvents, readRpcResponse } from './messages.ts'
import { hasType, sendHttp } from './send-http.ts'

/** The usual paths of endpoints. */
const USUAL_PATHS = ['/mcp', '/sse', '/']

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
  [explainRedirect, explainForbidden, explainPath, explainPage, explainMethod, explainServerError, explainMediaType]

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

async function explainRedirect({ status = 0, headers, url }: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (status < 300 || status > 399) return undefined
  const { location } = headers
  const target = location === undefined ? undefined : parseUrl(location, url)
  const isSignIn = /login|signin|sign-in|auth/i.test(target?.pathname ?? '')
  return errorProblem(
    'redirect',
    `The server redirects to ${target?.href ?? location ?? 'an unknown place'} (HTTP ${status})`,
    isSignIn
      ? 'The page is for browsers. An MCP server responds with 401 and WWW-Authenticate instead.'
      : `Use ${target?.href ?? 'the URL that it redirects to'}. Clients do not follow redirects of POST to another origin.`,
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
async function explainPath({ status, url }: HttpObservation, state: DiagnosisState): Promise<DiagnosisProblem | undefined> {
  if (status !== 404 && status !== 410) return undefined
  const others = USUAL_PATHS.filter((path) => path !== url.pathname)
  const answers = await Promise.all(others.map((path) => findsServer(new URL(path, url), state)))
  const found = others.find((_, index) => answers[index])
  return errorProblem(
    'path-not-found',
    `The path ${url.pathname} does not exist (HTTP ${status})`,
    found === undefined
      ? 'Check the path in the documentation or the configuration of the server. Most servers use /mcp.'
      : `An MCP server answers at ${new URL(found, url).href}: use this URL.`,
  )
}

async function findsServer(url: URL, state: DiagnosisState): Promise<boolean> {
  const brief = { ...state, stepTimeoutMs: 1500 }
  const attempts = await Promise.all((['initialize', 'sse'] as const).map((name) => runAttempt(name, brief, url)))
  return attempts.some(({ answer }) => answer === 'result' || answer === 'unauthorized')
}

async function explainPage(observation: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (!isPage(observation)) return undefined
  const [, title = ''] = /<title[^<>]*>([^<]{0,100})/i.exec(observation.body) ?? []
  return errorProblem(
    'html',
    `The URL is a web page${title.trim() === '' ? '' : ` (“${title.trim()}”)`}, not an MCP server (HTTP ${observation.status})`,
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

async function explainServerError({ status = 0, headers }: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (status < 500 && status !== 429) return undefined
  if (status === 429)
    return errorProblem(
      'rate-limited',
      'The server refuses the request because there were too many (HTTP 429)',
      `Try again ${headers['retry-after'] ? `after ${headers['retry-after']} seconds` : 'later'}.`,
    )
  const isProxy = status === 502 || status === 503 || status === 504
  return errorProblem(
    isProxy ? 'server-unavailable' : 'server-error',
    `The server fails (HTTP ${status})`,
    isProxy ? 'A proxy answers, but not the server behind it: check that it runs.' : 'Look at the log of the server.',
  )
}

async function explainMediaType({ status, body }: HttpObservation): Promise<DiagnosisProblem | undefined> {
  if (status === 406 || status === 415)
    return errorProblem(
      'media-type-refused',
      `The server does not accept the media types of MCP (HTTP ${status})`,
      'Clients send application/json and accept application/json and text/event-stream: the server has to support both.',
    )
  if (status === 200 && body === '')
    return errorProblem('empty-response', 'The response is empty', 'Respond to a JSON-RPC request with a JSON-RPC response.')
  return undefined
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

/** Checks a stream that a GET request returned. */
export async function streamProblemOf(
  url: URL,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<{
  readonly observation: HttpObservation
  readonly problem: DiagnosisProblem | undefined
}> {
  const observation = await sendHttp(url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' }, timeoutMs })
  return { observation, problem: streamProblem(observation) }
}

function streamProblem(observation: HttpObservation): DiagnosisProblem | undefined {
  const { status, isComplete, error } = observation
  const advice =
    'Respond to GET with a stream of the type text/event-stream that stays open, or with 405 if the server never sends messages on its own.'
  if (status === 405) return undefined
  if (status === undefined)
    return errorProblem(
      'stream-hangs',
      error?.code === 'TIMEOUT' ? 'The server does not respond to GET' : `GET fails (${error?.code || error?.message})`,
      advice,
    )
  if (status !== 200)
    return errorProblem('stream-refused', `The server responds to GET with HTTP ${status}, not with a stream or with 405`, advice)
  if (!hasType(observation, 'text/event-stream'))
    return errorProblem(
      'stream-type',
      `The server responds to GET with ${observation.headers['content-type'] ?? 'no content type'}, not with an event stream`,
      advice,
    )
  if (isComplete || error?.code !== 'TIMEOUT')
    return errorProblem('stream-ends', 'The stream of GET ends at once, so clients reconnect all the time', advice)
  return undefined
}
