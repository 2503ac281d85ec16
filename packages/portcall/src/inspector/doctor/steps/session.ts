import { isObject } from '../../../entrypoints/jsonrpc.ts'
import { revisionOf } from '../../../protocol/revisions.ts'
import { Header } from '../../../transports/http/common/headers.ts'
import type { DiagnosisState, HttpObservation, StepOutcome } from '../facts.ts'
import { authorizationHeaders, sendMessage } from '../http/attempts.ts'
import { streamProblemOf } from '../http/explain-response.ts'
import { readRpcResponse } from '../http/messages.ts'
import { sendHttp } from '../http/send-http.ts'
import { showObservation } from '../http/show-observation.ts'
import { errorProblem, skipped, stepOutcome, warningProblem } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'

/** A session that was opened by hand, and its headers. */
interface OpenedSession {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly hasId: boolean
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
  const accepted = await sendMessage(
    session.url,
    { method: 'notifications/initialized' },
    { headers: session.headers, timeoutMs },
  )
  const ping = await sendMessage(session.url, { id: 'ping', method: 'ping' }, { headers: session.headers, timeoutMs })
  const stream = await streamProblemOf(session.url, session.headers, Math.min(timeoutMs, 700))
  const end = session.hasId
    ? await sendHttp(session.url, { method: 'DELETE', headers: session.headers, timeoutMs: Math.min(timeoutMs, 700) })
    : undefined
  const evidence = [
    ...showObservation(accepted, 'notification'),
    ...showObservation(ping, 'request'),
    ...showObservation(stream.observation, 'stream'),
    ...(end ? showObservation(end, 'end') : []),
  ]
  const candidates = [requestProblem(ping, session), notificationProblem(accepted), stream.problem, end && endProblem(end)]
  const problems = candidates.filter((problem): problem is DiagnosisProblem => problem !== undefined)
  return stepOutcome(session.hasId ? 'The session works' : 'The server needs no session ID', { evidence, problems })
}

async function openedBy({ url, headers, body, sent }: HttpObservation, state: DiagnosisState): Promise<OpenedSession> {
  const id = headers[Header.sessionId]
  const { result } = readRpcResponse({ body }) ?? {}
  const version = isObject(result) && typeof result.protocolVersion === 'string' ? result.protocolVersion : ''
  const sendsVersion = (revisionOf(version)?.http.versionHeader ?? 'none') !== 'none'
  const auth = await authorizationHeaders(state, 'POST', url)
  return {
    url,
    hasId: id !== undefined,
    headers: {
      ...sent,
      ...auth,
      ...(id !== undefined && { [Header.sessionId]: id }),
      ...(sendsVersion && { [Header.protocolVersion]: version }),
    },
  }
}

function requestProblem(observation: HttpObservation, { hasId }: OpenedSession): DiagnosisProblem | undefined {
  const { status } = observation
  if (readRpcResponse(observation)?.result !== undefined) return undefined
  if (hasId && (status === 404 || status === 400))
    return errorProblem(
      'session-rejected',
      `The server rejects the session ID that it has just issued (HTTP ${status})`,
      'Store sessions where every process of the server finds them, or route the requests of a session to the same process.',
    )
  const answer = status === undefined ? 'not at all' : `with HTTP ${status}`
  return errorProblem(
    'request-fails',
    `The server answers a request after the handshake ${answer}`,
    'Look at the log of the server.',
  )
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
