import { isUrl } from '../../../../../util/src/parse-url.ts'
import { readChallenges } from '../../../auth/client/discovery/challenge.ts'
import { foundDocument, lastOf } from '../observed.ts'
import type { AuthFacts, AuthRule } from '../types.ts'
import { mcp, rfc } from './sections.ts'

/** Returns the challenge that asks for an access token. */
function challengeOf(facts: AuthFacts): ReadonlyMap<string, string> | undefined {
  const header = lastOf(facts, 'challenge')?.response?.headers['www-authenticate'] ?? ''
  return readChallenges(header).find(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')?.parameters
}

const statusOf = (facts: AuthFacts): number | undefined => lastOf(facts, 'challenge')?.response?.status

/** The rules for the response to a request without a token. */
export const CHALLENGE_RULES: readonly AuthRule[] = [
  {
    id: 'challenge-response',
    step: 'challenge',
    title: 'The server responds to a request without a token',
    section: mcp('Token Handling'),
    severity: 'error',
    check(facts) {
      const exchange = lastOf(facts, 'challenge')
      if (!exchange) return null
      return exchange.response
        ? undefined
        : { message: `The server does not respond: ${exchange.error}`, advice: 'Check the URL with portcall doctor.' }
    },
  },
  {
    id: 'challenge-status',
    step: 'challenge',
    title: 'A request without a token is refused with 401',
    section: mcp('Token Handling'),
    severity: 'error',
    check(facts) {
      const status = statusOf(facts)
      if (status === undefined) return null
      if (status === 401) return undefined
      return status < 300
        ? {
            message: `The server answers without a token (HTTP ${status})`,
            advice: 'This server does not require a sign-in. If it should, verify the token of each request.',
          }
        : {
            message: `The server responds with HTTP ${status} instead of 401`,
            advice: 'Respond with 401 to requests without a valid token.',
          }
    },
  },
  {
    id: 'challenge-header',
    step: 'challenge',
    title: 'The 401 response has a Bearer challenge',
    section: rfc(6750, '3'),
    severity: 'warning',
    check(facts) {
      if (statusOf(facts) !== 401) return null
      return challengeOf(facts)
        ? undefined
        : {
            message: 'The 401 response has no WWW-Authenticate header with the scheme Bearer',
            advice: 'Send WWW-Authenticate: Bearer resource_metadata="…" with the URL of the resource metadata.',
          }
    },
  },
  {
    id: 'challenge-resource-metadata',
    step: 'challenge',
    title: 'The challenge names the resource metadata',
    section: rfc(9728, '5.1'),
    severity: 'warning',
    check(facts) {
      const challenge = challengeOf(facts)
      if (!challenge) return null
      const url = challenge.get('resource_metadata')
      if (url === undefined)
        return {
          message: 'The challenge has no resource_metadata parameter',
          advice: 'Add resource_metadata: clients of older revisions do not look for the metadata elsewhere.',
        }
      return isUrl(url)
        ? undefined
        : {
            message: `resource_metadata is not an absolute URL: ${url}`,
            advice: 'Write the complete URL, with https:// and the host.',
          }
    },
  },
  {
    id: 'challenge-metadata-reachable',
    step: 'challenge',
    title: 'The URL in resource_metadata has the metadata',
    section: rfc(9728, '5.1'),
    severity: 'warning',
    check(facts) {
      const named = challengeOf(facts)?.get('resource_metadata')
      const found = foundDocument(facts, 'resource-metadata')
      if (named === undefined || !isUrl(named) || !found) return null
      return found.exchange.url === new URL(named).href
        ? undefined
        : {
            message: `The challenge names ${named}, but the metadata is at ${found.exchange.url}`,
            advice: 'Correct resource_metadata in the challenge.',
          }
    },
  },
]
