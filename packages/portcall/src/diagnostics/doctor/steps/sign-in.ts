import { lowerCaseNames } from '../../../../../util/src/header-names.ts'
import { isUrl, parseUrl } from '../../../../../util/src/parse-url.ts'
import { readChallenges } from '../../../auth/client/discovery/challenge.ts'
import { isObject } from '../../../jsonrpc/message.ts'
import { decodeClaims } from '../../oauth-debugger/observed.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { authorizationHeaders } from '../http/attempts.ts'
import { errorProblem, evidenceOf, skipped, stepOutcome } from '../outcome.ts'
import type { DiagnosisProblem } from '../types.ts'

/** Checks whether the server accepts the credentials, if there are any. */
export async function checkSignIn(state: DiagnosisState): Promise<StepOutcome> {
  const { known, options } = state
  const url = known.url as URL
  const refused = known.attempts?.find(({ answer }) => answer === 'unauthorized')
  const { authorization } = lowerCaseNames({ ...options.headers, ...(await authorizationHeaders(state, 'POST', url)) })
  if (!refused) return authorization === undefined ? skipped('No sign-in is needed') : stepOutcome('The server accepts the token')
  if (authorization === undefined)
    return stepOutcome('', {
      problems: [
        errorProblem(
          'sign-in-required',
          'The server requires a sign-in, and there are no credentials',
          `Sign in with portcall login ${url.href}, or pass a token with --header "Authorization: Bearer TOKEN".`,
        ),
      ],
    })
  const header = refused.observation.headers['www-authenticate'] ?? ''
  const parameters = readChallenges(header)[0]?.parameters
  const claims = decodeClaims(authorization.replace(/^\S+\s+/, ''))
  const reason = parameters?.get('error_description') ?? parameters?.get('error')
  return stepOutcome('', {
    evidence: evidenceOf({ reason, ...showClaims(claims) }),
    problems: [
      explainClaims(claims, url) ??
        errorProblem(
          'token-refused',
          `The server refuses the token${reason === undefined ? '' : `: ${reason}`}`,
          `Sign in again with portcall login ${url.href}.`,
        ),
    ],
  })
}

function explainClaims(claims: Record<string, unknown> | undefined, url: URL): DiagnosisProblem | undefined {
  if (typeof claims?.exp === 'number' && claims.exp * 1000 < Date.now())
    return errorProblem(
      'token-expired',
      `The token expired at ${new Date(claims.exp * 1000).toISOString()}`,
      `Sign in again with portcall login ${url.href}.`,
    )
  const audiences = [claims?.aud].flat().filter((one): one is string => typeof one === 'string')
  const isForServer = audiences.some((one) => parseUrl(one)?.origin === url.origin)
  if (audiences.length === 0 || isForServer || !audiences.some((one) => isUrl(one))) return undefined
  return errorProblem(
    'token-for-other-server',
    `The token was issued for ${audiences.join(', ')}, not for ${url.origin}`,
    'Request the token with the resource parameter of this server (RFC 8707).',
  )
}

/** Returns the claims that say whom a token is for. They are not secret. */
function showClaims(claims: Record<string, unknown> | undefined): Record<string, string | undefined> {
  if (!isObject(claims)) return {}
  const show = (name: string): string | undefined => (claims[name] === undefined ? undefined : JSON.stringify(claims[name]))
  return { 'token iss': show('iss'), 'token aud': show('aud'), 'token exp': show('exp'), 'token scope': show('scope') }
}
