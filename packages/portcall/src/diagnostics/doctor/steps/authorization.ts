import { errorMessage } from '../../../../../util/src/errors.ts'
import { lowerCaseNames } from '../../../../../util/src/header-names.ts'
import { checkMetadata } from '../../oauth-debugger/discovery.ts'
import type { AuthExchange, RuleResult } from '../../oauth-debugger/types.ts'
import type { DiagnosisState, HttpObservation, StepOutcome } from '../facts.ts'
import { authorizationHeaders } from '../http/attempts.ts'
import { evidenceOf, skipped, stepOutcome } from '../outcome.ts'
import type { DiagnosisProblem, Evidence } from '../types.ts'

/** Follows the metadata of a server that requires authorization, as clients do before they sign in. */
export async function checkAuthorization(state: DiagnosisState): Promise<StepOutcome> {
  const { known, signal, stepTimeoutMs } = state
  const refused = known.attempts?.find(({ answer }) => answer === 'unauthorized')
  const endpoint = known.url as URL
  if (!refused)
    return skipped(
      (await hasCredentials(state, endpoint)) ? 'The server accepts the credentials' : 'The server requires no authorization',
    )
  const report = await checkMetadata({
    endpoint,
    challenge: toExchange(refused.observation),
    signal,
    timeoutMs: Math.ceil(stepTimeoutMs / 2),
  })
  const problems = report.results.flatMap(problemOf)
  const isExplained = problems.some(({ severity }) => severity === 'error')
  const unexplained: DiagnosisProblem[] =
    report.error === undefined || isExplained
      ? []
      : [{ code: 'metadata-unusable', severity: 'error', message: errorMessage(report.error), advice: 'Correct the metadata.' }]
  const issuer = report.found?.server.issuer
  return stepOutcome(`Users sign in at ${issuer}`, {
    evidence: [...report.exchanges.map(showExchange), ...evidenceOf({ issuer, resource: report.found?.resource })],
    problems: [...problems, ...unexplained],
  })
}

async function hasCredentials(state: DiagnosisState, url: URL): Promise<boolean> {
  const headers = { ...state.options.headers, ...(await authorizationHeaders(state, 'POST', url)) }
  return lowerCaseNames(headers).authorization !== undefined
}

function toExchange({ method, url, sent, status, headers, body, durationMs }: HttpObservation): AuthExchange {
  const response = { status: status ?? 0, headers, body }
  return { id: 1, step: 'challenge', method, url: url.href, headers: sent, response, durationMs }
}

function problemOf({ rule, verdict, message = '', advice = '', section }: RuleResult): DiagnosisProblem[] {
  if (verdict === 'passed') return []
  const severity = verdict === 'failed' ? 'error' : 'warning'
  return [{ code: rule, severity, message, advice: `${advice} See ${section.name}: ${section.url}` }]
}

function showExchange({ method, url, response, error }: AuthExchange): Evidence {
  const challenge = response?.headers['www-authenticate']
  const head = `${method} ${url} → ${response ? `HTTP ${response.status}` : error}`
  return { label: 'request', value: challenge === undefined ? head : `${head}\nwww-authenticate: ${challenge}` }
}
