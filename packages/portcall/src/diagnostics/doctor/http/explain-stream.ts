import type { HttpObservation } from '../facts.ts'
import { errorProblem } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'
import { hasType, sendHttp } from './send-http.ts'

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
