import { isUrl } from '../../../../../util/src/parse-url.ts'
import { documentOf, foundDocument, isSafeUrl, lastOf, mediaTypeOf, stringMember, stringsMember } from '../observed.ts'
import type { AuthFacts, AuthRule, AuthRuleViolation, AuthStepId } from '../types.ts'
import { mcp, rfc } from './sections.ts'

const resourceOf = (facts: AuthFacts) => foundDocument(facts, 'resource-metadata')?.document
const serverOf = (facts: AuthFacts) => foundDocument(facts, 'server-metadata')?.document

/** Describes the responses of a step that found nothing: `404 at https://…`. */
function describeMisses({ exchanges }: AuthFacts, step: AuthStepId): string {
  const misses = exchanges.filter((exchange) => exchange.step === step)
  return misses.map((exchange) => `${reasonOf(exchange)} at ${exchange.url}`).join(', ')
}

function reasonOf(exchange: AuthFacts['exchanges'][number]): string {
  const { response, error } = exchange
  if (!response) return error ?? 'no response'
  return response.status === 200 && !documentOf(exchange) ? 'no JSON object' : `HTTP ${response.status}`
}

function jsonViolation(facts: AuthFacts, step: AuthStepId): AuthRuleViolation | undefined | null {
  const found = foundDocument(facts, step)
  if (!found) return null
  const type = mediaTypeOf(found.exchange)
  return type === 'application/json' || type.endsWith('+json')
    ? undefined
    : { message: `The metadata has the content type ${type || 'none'}`, advice: 'Send Content-Type: application/json.' }
}

/** The rules for the metadata of the protected resource. */
export const RESOURCE_METADATA_RULES: readonly AuthRule[] = [
  {
    id: 'resource-metadata-found',
    step: 'resource-metadata',
    title: 'The server publishes resource metadata',
    section: mcp('Authorization Server Discovery'),
    severity: 'error',
    check(facts) {
      if (!lastOf(facts, 'resource-metadata') || (serverOf(facts) && !resourceOf(facts))) return null
      return resourceOf(facts)
        ? undefined
        : {
            message: `There is no resource metadata: ${describeMisses(facts, 'resource-metadata')}`,
            advice: 'Serve the metadata at /.well-known/oauth-protected-resource, followed by the path of the server.',
          }
    },
  },
  {
    id: 'resource-metadata-fallback',
    step: 'resource-metadata',
    title: 'The authorization server is found without the rules of an older revision',
    section: mcp('Authorization Server Discovery'),
    severity: 'warning',
    check(facts) {
      if (!lastOf(facts, 'resource-metadata') || !serverOf(facts)) return null
      return resourceOf(facts)
        ? undefined
        : {
            message: 'There is no resource metadata, only that of an authorization server on the same origin',
            advice: 'Serve resource metadata: only clients that support the oldest revision with authorization look elsewhere.',
          }
    },
  },
  {
    id: 'resource-metadata-type',
    step: 'resource-metadata',
    title: 'The resource metadata is application/json',
    section: rfc(9728, '3.2'),
    severity: 'warning',
    check: (facts) => jsonViolation(facts, 'resource-metadata'),
  },
  {
    id: 'resource-identifier',
    step: 'resource-metadata',
    title: 'The resource metadata describes this server',
    section: rfc(9728, '3.3'),
    severity: 'error',
    check(facts) {
      const document = resourceOf(facts)
      if (!document) return null
      const resource = stringMember(document, 'resource')
      if (resource === undefined)
        return { message: 'The metadata has no resource', advice: `Set resource to ${facts.endpoint.href}.` }
      return isResourceOf(resource, facts.endpoint)
        ? undefined
        : {
            message: `resource is ${resource}, but the server is ${facts.endpoint.href}`,
            advice: `Set resource to ${facts.endpoint.href}. Behind a proxy, use the public URL.`,
          }
    },
  },
  {
    id: 'authorization-servers',
    step: 'resource-metadata',
    title: 'The resource metadata names an authorization server',
    section: rfc(9728, '2'),
    severity: 'error',
    check(facts) {
      const document = resourceOf(facts)
      if (!document) return null
      const servers = stringsMember(document, 'authorization_servers') ?? []
      const unsafe = servers.find((server) => !isSafeUrl(server))
      if (servers.length === 0)
        return { message: 'authorization_servers is missing or empty', advice: 'List the issuer of the authorization server.' }
      return unsafe === undefined
        ? undefined
        : { message: `The authorization server ${unsafe} does not use https`, advice: 'Use an https URL.' }
    },
  },
]

/** The resource is the server itself, or a parent of it on the same origin. */
function isResourceOf(resource: string, endpoint: URL): boolean {
  if (!isUrl(resource)) return false
  const { origin, pathname } = new URL(resource)
  const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
  return origin === endpoint.origin && withSlash(endpoint.pathname).startsWith(withSlash(pathname))
}

const NEEDS_REGISTRATION = 'Support client ID metadata documents or dynamic registration, or give users a client ID.'

/** The rules for the metadata of the authorization server. */
export const SERVER_METADATA_RULES: readonly AuthRule[] = [
  {
    id: 'server-metadata-found',
    step: 'server-metadata',
    title: 'The authorization server publishes metadata',
    section: mcp('Authorization Server Metadata Discovery'),
    severity: 'error',
    check(facts) {
      if (!lastOf(facts, 'server-metadata')) return null
      return serverOf(facts)
        ? undefined
        : {
            message: `There is no authorization server metadata: ${describeMisses(facts, 'server-metadata')}`,
            advice:
              'Serve it at /.well-known/oauth-authorization-server or /.well-known/openid-configuration, with the path of the issuer.',
          }
    },
  },
  {
    id: 'server-metadata-type',
    step: 'server-metadata',
    title: 'The authorization server metadata is application/json',
    section: rfc(8414, '3.2'),
    severity: 'warning',
    check: (facts) => jsonViolation(facts, 'server-metadata'),
  },
  {
    id: 'issuer',
    step: 'server-metadata',
    title: 'The issuer in the metadata is the one that was asked for',
    section: rfc(8414, '3.3'),
    severity: 'error',
    check(facts) {
      const document = serverOf(facts)
      if (!document || facts.issuer === undefined) return null
      const issuer = stringMember(document, 'issuer')
      return issuer === facts.issuer
        ? undefined
        : {
            message: `issuer is ${issuer ?? 'missing'}, but the resource metadata names ${facts.issuer}`,
            advice: 'Make both the same text, including a slash at the end.',
          }
    },
  },
  {
    id: 'pkce',
    step: 'server-metadata',
    title: 'The authorization server supports PKCE with S256',
    section: mcp('Authorization Code Protection'),
    severity: 'error',
    check(facts) {
      const document = serverOf(facts)
      if (!document) return null
      const methods = stringsMember(document, 'code_challenge_methods_supported')
      return methods?.includes('S256')
        ? undefined
        : {
            message: `code_challenge_methods_supported is ${methods ? JSON.stringify(methods) : 'missing'}: clients have to refuse this server`,
            advice: 'Support PKCE, and list S256 in code_challenge_methods_supported.',
          }
    },
  },
  ...(['authorization_endpoint', 'token_endpoint'] as const).map(
    (name): AuthRule => ({
      id: name.replace('_', '-'),
      step: 'server-metadata',
      title: `The metadata has an ${name} with https`.replace('an token', 'a token'),
      section: rfc(8414, '2'),
      severity: 'error',
      check(facts) {
        const document = serverOf(facts)
        if (!document) return null
        const url = stringMember(document, name)
        if (url === undefined) return { message: `${name} is missing`, advice: `Add ${name}.` }
        return isSafeUrl(url)
          ? undefined
          : { message: `${name} is ${url}`, advice: 'Use an https URL. Clients refuse all others, except http on loopback.' }
      },
    }),
  ),
  {
    id: 'response-types',
    step: 'server-metadata',
    title: 'The authorization server supports the authorization code flow',
    section: rfc(8414, '2'),
    severity: 'error',
    check(facts) {
      const document = serverOf(facts)
      if (!document) return null
      const types = stringsMember(document, 'response_types_supported')
      const grants = stringsMember(document, 'grant_types_supported')
      if (types && !types.includes('code'))
        return {
          message: `response_types_supported is ${JSON.stringify(types)}, without code`,
          advice: 'Support the response type code.',
        }
      return grants && !grants.includes('authorization_code')
        ? {
            message: `grant_types_supported is ${JSON.stringify(grants)}, without authorization_code`,
            advice: 'Support the authorization code grant for users.',
          }
        : undefined
    },
  },
  {
    id: 'client-registration',
    step: 'server-metadata',
    title: 'Clients can identify themselves',
    section: mcp('Client Registration Approaches'),
    severity: 'warning',
    check(facts) {
      const document = serverOf(facts)
      if (!document || facts.hasConfiguredClient) return null
      const { registration_endpoint: endpoint, client_id_metadata_document_supported: documents } = document
      return typeof endpoint === 'string' || documents === true
        ? undefined
        : {
            message: 'The server supports neither client ID metadata documents nor dynamic registration',
            advice: NEEDS_REGISTRATION,
          }
    },
  },
]
