import type { DiagnosisState, HttpAttempt, StepOutcome } from '../facts.ts'
import { probeUrl } from '../http/attempts.ts'
import { explainAttempts, explainRefusal, httpProblemsOf } from '../http/explain-response.ts'
import { explainIntermediary } from '../http/intermediaries.ts'
import { showObservation } from '../http/show-observation.ts'
import { stepOutcome } from '../outcome.ts'

const LABELS: { readonly [name in HttpAttempt['name']]: string } = {
  discover: 'server/discover',
  initialize: 'initialize',
  sse: 'event stream',
}

/** Sends the first requests of each era, and explains the responses that no MCP server would send. */
export async function checkHttp(state: DiagnosisState): Promise<StepOutcome> {
  const attempts = await probeUrl(state, state.known.url as URL)
  state.signal.throwIfAborted()
  state.known.attempts = attempts
  const evidence = attempts.flatMap(({ name, observation }) => showObservation(observation, LABELS[name]))
  const best =
    attempts.find(({ answer }) => answer === 'result' || answer === 'unauthorized') ??
    attempts.findLast(({ answer }) => answer === 'error')
  if (!best) return stepOutcome('', { evidence, problems: [await explainAttempts(attempts, state)] })
  if (best.answer === 'unauthorized') {
    const problem = await explainIntermediary(best.observation)
    const summary = 'The server responds, and requires authorization (HTTP 401)'
    return stepOutcome(summary, { evidence, problems: problem ? [problem] : [] })
  }
  const refusal = best.answer === 'error' ? await explainRefusal(best, state) : undefined
  if (refusal) return stepOutcome('', { evidence, problems: [refusal] })
  return stepOutcome(`The server responds to ${LABELS[best.name]} with HTTP ${best.observation.status}`, {
    evidence,
    problems: httpProblemsOf(best),
  })
}
