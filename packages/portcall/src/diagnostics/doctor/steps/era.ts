import { errorMessage } from '../../../../../util/src/errors.ts'
import { TimeoutError } from '../../../client/errors.ts'
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { NegotiationError } from '../../../legacy/negotiate.ts'
import { revisionOf } from '../../../protocol/revisions.ts'
import { HttpStatusError } from '../../../transports/http/client/http-status-error.ts'
import { SessionExpiredError } from '../../../transports/http/client/session.ts'
import { connectOnce } from '../connection.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { errorProblem, evidenceOf, stepOutcome } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'
import { StepTimeoutError } from '../within-time.ts'

/** Negotiates the protocol version, and says why this one. */
export async function checkEra(state: DiagnosisState): Promise<StepOutcome> {
  const offered = offeredVersions(state)
  const { client, error } = await connectOnce(state)
  const evidence = evidenceOf({
    'server/discover': describeAttempt(state, 'discover'),
    initialize: describeAttempt(state, 'initialize'),
    'versions of the server': offered.join(', '),
    'requested version': state.options.protocolVersion,
  })
  if (client) {
    const { protocolVersion } = client
    return stepOutcome(`${protocolVersion}: ${reasonFor(protocolVersion, state)}`, { evidence })
  }
  // The next step examines the session on its own, and reports this error if it finds nothing.
  if ((error instanceof SessionExpiredError || error instanceof HttpStatusError) && resultOf(state, 'initialize'))
    return stepOutcome(`The handshake of an older revision starts, but does not complete`, { evidence })
  return stepOutcome('', { evidence, problems: [explain(error, state, offered)] })
}

function reasonFor(version: string, { options, target, known }: DiagnosisState): string {
  if (options.protocolVersion !== undefined) return 'you chose it'
  if (revisionOf(version)?.era === 'modern')
    return typeof target === 'function' || !known.url
      ? 'the server answers server/discover'
      : 'the server answers server/discover, so no handshake is needed'
  return 'the server does not answer server/discover as servers of the newest revision do, and chose this version in the handshake'
}

function explain(error: unknown, { options, known }: DiagnosisState, offered: readonly string[]): DiagnosisProblem {
  const versions = offered.length > 0 ? ` The server has ${offered.join(', ')}.` : ''
  if (error instanceof NegotiationError)
    return errorProblem(
      'version-mismatch',
      errorMessage(error),
      options.protocolVersion === undefined ? 'Update the server, or the client.' : `Leave --protocol-version out.${versions}`,
    )
  if (options.protocolVersion !== undefined && offered.length > 0 && !offered.includes(options.protocolVersion))
    return errorProblem(
      'version-mismatch',
      `The server does not support ${options.protocolVersion}`,
      `Leave --protocol-version out.${versions}`,
    )
  if (error instanceof TimeoutError || error instanceof StepTimeoutError)
    return errorProblem(
      'no-answer',
      'The server does not answer the first requests',
      'Check that it reads requests and responds to initialize. If it only starts slowly, allow more time with --timeout SECONDS; what it then prints may name the cause.',
    )
  const refused = known.attempts?.find(({ name, answer }) => name === 'initialize' && answer === 'error')
  const rpcError = refused?.response?.error
  if (isObject(rpcError)) {
    const { status } = refused?.observation ?? {}
    const told = String(rpcError.message)
    return errorProblem(
      'handshake-refused',
      `The server refuses initialize: ${told} (${String(rpcError.code)}${status === undefined || status === 200 ? '' : `, HTTP ${status}`})`,
      adviceForRefusal(told),
    )
  }
  if (error instanceof HttpStatusError)
    return errorProblem('handshake-failed', errorMessage(error), 'Look at the log of the server.')
  return errorProblem('handshake-failed', errorMessage(error), 'Look at the log of the server, and at the evidence of this step.')
}

/** The meanings of the messages with which servers refuse `initialize`. */
const REFUSALS: readonly (readonly [message: RegExp, advice: string])[] = [
  [
    /already initialized/i,
    'The server uses one transport for all clients, so that only the first one can connect: create a transport, and a server, for each session.',
  ],
  [
    /not initialized|session/i,
    'The server takes initialize for a request of a session. Check that its body is parsed only once, and that each session has one transport.',
  ],
  [/version/i, 'Check which protocol versions the server supports, and update it.'],
]

function adviceForRefusal(told: string): string {
  return REFUSALS.find(([message]) => message.test(told))?.[1] ?? 'Check what the message says, and the log of the server.'
}

function resultOf({ known }: DiagnosisState, name: 'discover' | 'initialize'): JsonObject | undefined {
  const result = known.attempts?.find((attempt) => attempt.name === name)?.response?.result
  return isObject(result) ? result : undefined
}

/** Returns the versions that the server has named. */
function offeredVersions(state: DiagnosisState): string[] {
  const { supportedVersions } = resultOf(state, 'discover') ?? {}
  const { protocolVersion } = resultOf(state, 'initialize') ?? {}
  return [supportedVersions, protocolVersion].flat().filter((version): version is string => typeof version === 'string')
}

function describeAttempt({ known }: DiagnosisState, name: 'discover' | 'initialize'): string | undefined {
  const attempt = known.attempts?.find((one) => one.name === name)
  if (!attempt) return undefined
  const { answer, response, observation } = attempt
  if (answer === 'result') return 'answered'
  const { error } = response ?? {}
  if (isObject(error)) return `error ${String(error.code)}: ${String(error.message)}`
  return observation.status === undefined ? 'no response' : `HTTP ${observation.status}`
}
