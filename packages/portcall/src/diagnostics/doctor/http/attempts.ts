import { lowerCaseNames } from '../../../../../util/src/header-names.ts'
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { createProbeRequest } from '../../../transports/http/client/probe-request.ts'
import { POST_HEADERS } from '../../../transports/http/client/request-headers.ts'
import type { AttemptName, DiagnosisState, HttpAttempt, HttpObservation } from '../facts.ts'
import { readEvents, readRpcResponse } from './messages.ts'
import { hasType, sendHttp } from './send-http.ts'

const CLIENT_INFO = { name: 'portcall-doctor', version: '1.0.0' }
const PROBES = {
  discover: createProbeRequest('server/discover', CLIENT_INFO),
  initialize: createProbeRequest('initialize', CLIENT_INFO),
}

/** Sends the requests of each era, in the order of the library, until one works or the server requires authorization. */
export async function probeUrl(state: DiagnosisState, url: URL): Promise<HttpAttempt[]> {
  const attempts: HttpAttempt[] = []
  for (const name of ['discover', 'initialize', 'sse'] as const) {
    const attempt = await runAttempt(name, state, url)
    attempts.push(attempt)
    const { answer, observation } = attempt
    if (answer === 'result' || answer === 'unauthorized') break
    const isSlow = observation.error?.code === 'TIMEOUT' && name === 'discover'
    if (observation.status === undefined && !isSlow) break
  }
  return attempts
}

/** The share of the time of the step that a request may take. An old server may leave the first one unanswered. */
const SHARE: { readonly [name in AttemptName]: number } = { discover: 0.6, initialize: 0.4, sse: 0.4 }

/** Sends one request. */
export async function runAttempt(
  name: AttemptName,
  state: Pick<DiagnosisState, 'options' | 'stepTimeoutMs' | 'signal'>,
  url: URL,
): Promise<HttpAttempt> {
  const auth = await authorizationHeaders(state, name === 'sse' ? 'GET' : 'POST', url)
  const headers = { ...lowerCaseNames(state.options.headers ?? {}), ...auth }
  const timeoutMs = Math.ceil(state.stepTimeoutMs * SHARE[name])
  const observation =
    name === 'sse'
      ? await sendHttp(url, {
          method: 'GET',
          headers: { ...headers, accept: 'text/event-stream' },
          timeoutMs,
          until: hasEndpoint,
        })
      : await sendMessage(url, PROBES[name].message, { headers: { ...headers, ...PROBES[name].headers }, timeoutMs })
  const response = name === 'sse' ? undefined : readRpcResponse(observation)
  return { name, observation, response, answer: answerOf(name, observation, response) }
}

/** Posts a JSON-RPC message and reads up to its response. */
export function sendMessage(
  url: URL,
  message: object,
  { headers, timeoutMs }: { readonly headers: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<HttpObservation> {
  return sendHttp(url, {
    method: 'POST',
    headers: { ...headers, ...POST_HEADERS },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    timeoutMs,
    until: (text) => readEvents(text).some(({ data }) => readRpcResponse({ body: data }) !== undefined),
  })
}

/** Reports whether a stream has the first event of the HTTP+SSE transport. */
function hasEndpoint(body: string): boolean {
  return readEvents(body).some(({ event }) => event === 'endpoint')
}

function answerOf(name: AttemptName, observation: HttpObservation, response: JsonObject | undefined): HttpAttempt['answer'] {
  const { status, body } = observation
  if (status === 401) return 'unauthorized'
  if (name === 'sse') return status === 200 && hasType(observation, 'text/event-stream') && hasEndpoint(body) ? 'result' : 'other'
  if (!response) return 'other'
  if (isObject(response.error)) return 'error'
  const { result } = response
  const isExpected = isObject(result) && (name === 'discover' ? 'supportedVersions' in result : 'protocolVersion' in result)
  return isExpected ? 'result' : 'error'
}

/** Returns the authorization headers of the credentials that the user gave. An error counts as no credentials: the sign-in step reports it. */
export async function authorizationHeaders(
  { options, signal }: Pick<DiagnosisState, 'options' | 'signal'>,
  method: string,
  url: URL,
): Promise<Record<string, string>> {
  if (!options.auth) return {}
  try {
    return { ...(await options.auth.authorizer(url).headers({ method, url, signal })) }
  } catch {
    return {}
  }
}
