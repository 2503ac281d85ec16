import { errorMessage } from '../../../../../util/src/errors.ts'
import { isObject } from '../../../jsonrpc/message.ts'
import { revisionOf } from '../../../protocol/revisions.ts'
import { Header } from '../../../transports/http/common/headers.ts'
import type { DiagnosisState, HttpObservation, StepOutcome } from '../facts.ts'
import { authorizationHeaders, sendMessage } from '../http/attempts.ts'
import { streamProblemOf } from '../http/explain-stream.ts'
import { readRpcResponse } from '../http/messages.ts'
import { hasType, sendHttp } from '../http/send-http.ts'
import { showObservation } from '../http/show-observation.ts'
import { errorProblem, skipped, stepOutcome, warningProblem } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'

/** A session that was opened by hand, and its headers. */
interface OpenedSession {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly id: string | undefined
  /** The version that the server has chosen. */
  readonly version: string
}

/** Uses a session of the legacy era byte by byte: its ID, its stream and its end. */
export async function checkSession(state: DiagnosisState): Promise<StepOutcome> {
  const initialized = state.known.attempts?.find(({ name, answer }) => name === 'initialize' && answer === 'result')
  if (!initialized) {
    const isSse = state.known.attempts?.some(({ name, answer }) => name === 'sse' && answer === 'result')
    return skipped(isSse ? 'The HTTP+SSE transport keeps its session in the stream' : 'The revision has no sessions')
  }
  const session = await openedBy(initialized.observation, state)
  const timeoutMs = Math.ceil(state.stepTimeoutMs / 4)
  const { headers } = session
  const accepted = await sendMessage(session.url, { method: 'notifications/initialized' }, { headers, timeoutMs })
  const pings = await sendPings(session, timeoutMs)
  const stream = await streamProblemOf(session.url, headers, Math.min(timeoutMs, 700))
  const end = session.id
    ? await sendHttp(session.url, { method: 'DELETE', headers, timeoutMs: Math.min(timeoutMs, 700) })
    : undefined
  const evidence = [
    ...showObservation(accepted, 'notification'),
    ...pings.flatMap((ping) => showObservation(ping, 'request')),
    ...showObservation(stream.observation, 'stream'),
    ...(end ? showObservation(end, 'end') : []),
  ]
  const candidates = [
    requestProblem([accepted, ...pings], session),
    notificationProblem(accepted),
    stream.problem,
    end && endProblem(end),
  ]
  const problems = candidates.filter((problem): problem is DiagnosisProblem => problem !== undefined)
  const { client, error } = state.known.connection ?? {}
  const isExplained = client || error === undefined || problems.some(({ severity }) => severity === 'error')
  if (!isExplained) problems.unshift(errorProblem('handshake-failed', errorMessage(error), 'Look at the log of the server.'))
  return stepOutcome(session.id ? 'The session works' : 'The server needs no session ID', { evidence, problems })
}

/** Enough to reach each of a few instances of a server behind a load balancer. */
const PINGS = 4

/** Sends requests on connections of their own, until one gets no response. */
async function sendPings({ url, headers }: OpenedSession, timeoutMs: number): Promise<HttpObservation[]> {
  const observations: HttpObservation[] = []
  for (let number = 1; number <= PINGS; number++) {
    const observation = await sendMessage(url, { id: `ping-${number}`, method: 'ping' }, { headers, timeoutMs })
    observations.push(observation)
    if (observation.status === undefined) break
  }
  return observations
}

async function openedBy({ url, headers, body, sent }: HttpObservation, state: DiagnosisState): Promise<OpenedSession> {
  const id = headers[Header.sessionId]
  const { result } = readRpcResponse({ body }) ?? {}
  const version = isObject(result) && typeof result.protocolVersion === 'string' ? result.protocolVersion : ''
  const sendsVersion = (revisionOf(version)?.http.versionHeader ?? 'none') !== 'none'
  const auth = await authorizationHeaders(state, 'POST', url)
  return {
    url,
    id,
    version,
    headers: {
      ...sent,
      ...auth,
      ...(id !== undefined && { [Header.sessionId]: id }),
      ...(sendsVersion && { [Header.protocolVersion]: version }),
    },
  }
}

/** Explains the responses to the messages after the handshake: the notification, then the requests. */
function requestProblem(observations: readonly HttpObservation[], session: OpenedSession): DiagnosisProblem | undefined {
  const refused = observations.filter(isRefused)
  const [first] = refused
  if (first && refused.length < observations.length && session.id)
    return errorProblem(
      'several-instances',
      `The server knows the session that it has just opened in ${observations.length - refused.length} of ${observations.length} requests (otherwise HTTP ${first.status})`,
      'The requests reach several instances of the server, and each knows only its own sessions: store sessions where all of them find them, or let the load balancer route the requests of a session to the same instance.',
    )
  if (first) return refusalProblem(first, session)
  const [ping] = observations.slice(1)
  if (!ping || ping.status === 200) return ping && pingProblem(ping)
  const answer = ping.status === undefined ? 'not at all' : `with HTTP ${ping.status}`
  return errorProblem(
    'request-fails',
    `The server answers a request after the handshake ${answer}`,
    'Look at the log of the server.',
  )
}

/** The statuses with which servers refuse a session, or a header of it. */
function isRefused({ status }: HttpObservation): boolean {
  return status === 404 || status === 400
}

function refusalProblem(observation: HttpObservation, { id, version }: OpenedSession): DiagnosisProblem {
  const told = messageOf(observation)
  const suffix = `(HTTP ${observation.status}${told === '' ? '' : `: ${told}`})`
  if (/protocol.?version/i.test(told))
    return errorProblem(
      'version-header-refused',
      `The server has chosen ${version} in the handshake, and then refuses the header MCP-Protocol-Version with it ${suffix}`,
      'Update the SDK of the server, or correct what checks the header in front of it. Until then, clients can connect with --protocol-version and an older version that the server supports.',
    )
  if (id)
    return errorProblem(
      'session-rejected',
      `The server rejects the session ID that it has just issued ${suffix}`,
      'Store sessions where every process of the server finds them, or route the requests of a session to the same process.',
    )
  if (/session/i.test(told))
    return errorProblem(
      'session-id-missing',
      `The response to initialize has no header Mcp-Session-Id, and then the server requires one ${suffix}`,
      'A proxy in between removes the header from responses, or the server does not send it: pass Mcp-Session-Id on in both directions.',
    )
  return errorProblem(
    'request-fails',
    `The server refuses the requests after the handshake ${suffix}`,
    'Look at the log of the server.',
  )
}

/** Returns what the body of a response says: the message of its JSON-RPC error, the text of another JSON error, or the text itself. */
function messageOf(observation: HttpObservation): string {
  const { error } = readRpcResponse(observation) ?? {}
  if (isObject(error)) return String(error.message).slice(0, 200)
  return hasType(observation, 'text/html') ? '' : observation.body.trim().slice(0, 200)
}

/** All parties have to answer `ping`, but few clients send it. */
function pingProblem(observation: HttpObservation): DiagnosisProblem | undefined {
  const { result, error } = readRpcResponse(observation) ?? {}
  if (result !== undefined) return undefined
  const answer = isObject(error)
    ? `the error ${String(error.message)} (${String(error.code)})`
    : 'something else than a JSON-RPC response'
  return warningProblem('ping-refused', `The server answers ping with ${answer}`, 'Answer ping with an empty result.')
}

function notificationProblem({ status }: HttpObservation): DiagnosisProblem | undefined {
  if (status === 202 || status === 404 || status === 400) return undefined
  return warningProblem(
    'notification-status',
    `The server responds to a notification with ${status === undefined ? 'nothing' : `HTTP ${status}`} instead of 202`,
    'Respond to notifications with 202 and without a body.',
  )
}

function endProblem({ status }: HttpObservation): DiagnosisProblem | undefined {
  if (status !== undefined && (status < 300 || status === 405 || status === 404 || status === 400)) return undefined
  return warningProblem(
    'session-end',
    `DELETE ends the session with ${status === undefined ? 'no response' : `HTTP ${status}`}`,
    'Respond with 200, or with 405 if clients cannot end sessions.',
  )
}
