import { parseUrl } from '../../../../util/src/parse-url.ts'
import { type BearerChallenge, readBearerChallenge } from '../../auth/client/discovery/challenge.ts'
import { type DiscoveryResult, discoverAuthorizationServer } from '../../auth/client/discovery/discover.ts'
import { createSafeFetch, type SafeFetchOptions } from '../../auth/client/http/safe-fetch.ts'
import type { AuthFetch } from '../../auth/client/types.ts'
import { checkRules } from './check-rules.ts'
import { observeFetch } from './observe-fetch.ts'
import { foundDocument, stringsMember } from './observed.ts'
import { CHALLENGE_RULES } from './rules/challenge.ts'
import { RESOURCE_METADATA_RULES, SERVER_METADATA_RULES } from './rules/metadata.ts'
import type { AuthExchange, AuthFacts, AuthRule, AuthStepId, RuleResult } from './types.ts'

/** The rules of the steps that need no user. */
export const DISCOVERY_RULES: readonly AuthRule[] = [...CHALLENGE_RULES, ...RESOURCE_METADATA_RULES, ...SERVER_METADATA_RULES]

/** How to check the metadata of a protected server. */
export interface CheckMetadataOptions extends Pick<SafeFetchOptions, 'allow' | 'timeoutMs'> {
  readonly endpoint: URL
  /** The response to a request without a token. */
  readonly challenge: AuthExchange
  readonly signal: AbortSignal
}

/** The metadata of a protected server, and what is wrong with it. */
export interface MetadataReport {
  readonly exchanges: readonly AuthExchange[]
  readonly results: readonly RuleResult[]
  /** Absent if clients cannot find the authorization server. */
  readonly found: DiscoveryResult | undefined
  readonly error: unknown
}

/** Follows the metadata of a protected server, as clients do, and checks the rules for it. */
export async function checkMetadata(options: CheckMetadataOptions): Promise<MetadataReport> {
  const { endpoint, challenge, signal, allow = [], timeoutMs } = options
  const exchanges: AuthExchange[] = [challenge]
  const safe = createSafeFetch({ trustedUrl: endpoint, allow, ...(timeoutMs !== undefined && { timeoutMs }) })
  const fetch = observeFetch(safe.fetch, {
    stepOf: (url) => metadataStep(url, bearerChallenge(challenge)),
    beforeRequest: async () => {},
    onExchange: (exchange) => void exchanges.push(exchange),
  })
  const outcome = await discover({ endpoint, challenge: bearerChallenge(challenge), fetch, signal })
  const facts = factsOf(endpoint, exchanges)
  const steps = ['challenge', 'resource-metadata', 'server-metadata'] as const
  return { ...outcome, exchanges, results: steps.flatMap((step) => checkRules(DISCOVERY_RULES, facts, step)) }
}

interface DiscoverOptions {
  readonly endpoint: URL
  readonly challenge: BearerChallenge
  readonly fetch: AuthFetch
  readonly signal: AbortSignal
}

async function discover(options: DiscoverOptions): Promise<Pick<MetadataReport, 'found' | 'error'>> {
  try {
    return { found: await discoverAuthorizationServer(options), error: undefined }
  } catch (error) {
    options.signal.throwIfAborted()
    return { found: undefined, error }
  }
}

function factsOf(endpoint: URL, exchanges: readonly AuthExchange[]): AuthFacts {
  const issuer = issuerOf({ exchanges, endpoint })
  return { endpoint, exchanges, issuer, hasConfiguredClient: false, now: Date.now() }
}

/** Returns the issuer that clients use: the first that the metadata names, else the origin of the server. */
export function issuerOf(facts: Pick<AuthFacts, 'exchanges' | 'endpoint'>): string {
  const document = foundDocument(facts, 'resource-metadata')?.document
  return stringsMember(document, 'authorization_servers')?.[0] ?? facts.endpoint.origin
}

/** Reads the challenge of an exchange. */
export function bearerChallenge({ response }: AuthExchange): BearerChallenge {
  return readBearerChallenge(response?.headers['www-authenticate'])
}

/** Returns the step that a request for metadata belongs to. */
export function metadataStep(url: string, { resourceMetadata }: BearerChallenge): AuthStepId {
  const { pathname } = new URL(url)
  const isNamed = resourceMetadata !== undefined && parseUrl(resourceMetadata)?.href === url
  return isNamed || pathname.startsWith('/.well-known/oauth-protected-resource') ? 'resource-metadata' : 'server-metadata'
}
