import type { JsonObject } from '../../../jsonrpc/message.ts'
import { decodeClaims, documentOf, lastOf, mediaTypeOf, stringMember } from '../observed.ts'
import type { AuthExchange, AuthFacts, AuthRule, AuthRuleViolation } from '../types.ts'
import { mcp, rfc } from './sections.ts'

const tokenOf = (facts: AuthFacts) => documentOf(lastOf(facts, 'token'))
const claimsOf = (facts: AuthFacts) => decodeClaims(stringMember(tokenOf(facts), 'access_token'))

/** Describes why a token endpoint returned no tokens. */
function refusalOf(exchange: AuthExchange): AuthRuleViolation | undefined {
  const { response, error } = exchange
  const document = documentOf(exchange)
  if (!response)
    return { message: `The token endpoint does not respond: ${error}`, advice: 'Check the token_endpoint in the metadata.' }
  if (response.status === 200 && document && document.error === undefined) return undefined
  const reason = [document?.error, document?.error_description].filter((text) => typeof text === 'string').join(': ')
  const advice = ADVICE[String(document?.error)] ?? 'Look at the log of the authorization server.'
  return { message: `The token endpoint refuses: HTTP ${response.status}${reason && `, ${reason}`}`, advice }
}

const ADVICE: { readonly [error: string]: string } = {
  invalid_client: 'Check the client ID and how the client has to authenticate.',
  invalid_grant:
    'Check that the code or refresh token is used once and in time, with the same redirect_uri, client and code_verifier.',
  invalid_target: 'Allow the resource parameter of this MCP server.',
  unsupported_grant_type: 'Support the grant type, or remove it from grant_types_supported.',
  invalid_scope: 'Grant a smaller scope instead of refusing, or correct scopes_supported.',
}

/** The rules for the token response. */
export const TOKEN_RULES: readonly AuthRule[] = [
  {
    id: 'token-response',
    step: 'token',
    title: 'The token endpoint exchanges the code for tokens',
    section: rfc(6749, '5.1'),
    severity: 'error',
    check(facts) {
      const exchange = lastOf(facts, 'token')
      return exchange ? refusalOf(exchange) : null
    },
  },
  {
    id: 'token-content-type',
    step: 'token',
    title: 'The token response is application/json',
    section: rfc(6749, '5.1'),
    severity: 'warning',
    check(facts) {
      const exchange = lastOf(facts, 'token')
      if (!exchange?.response) return null
      const type = mediaTypeOf(exchange)
      return type === 'application/json'
        ? undefined
        : { message: `The content type is ${type || 'missing'}`, advice: 'Send Content-Type: application/json.' }
    },
  },
  {
    id: 'access-token',
    step: 'token',
    title: 'The response has an access token',
    section: rfc(6749, '5.1'),
    severity: 'error',
    check(facts) {
      const document = tokenOf(facts)
      if (!document || document.error !== undefined) return null
      return stringMember(document, 'access_token')
        ? undefined
        : { message: 'access_token is missing', advice: 'Return access_token.' }
    },
  },
  {
    id: 'token-type',
    step: 'token',
    title: 'The token type is Bearer or DPoP',
    section: rfc(6749, '7.1'),
    severity: 'error',
    check(facts) {
      const document = tokenOf(facts)
      if (!document?.access_token) return null
      const type = stringMember(document, 'token_type')
      return /^(bearer|dpop)$/i.test(type ?? '')
        ? undefined
        : { message: `token_type is ${type ?? 'missing'}`, advice: 'Return token_type: Bearer.' }
    },
  },
  {
    id: 'token-cache-control',
    step: 'token',
    title: 'The token response is not stored by caches',
    section: rfc(6749, '5.1'),
    severity: 'warning',
    check(facts) {
      const response = lastOf(facts, 'token')?.response
      if (response?.status !== 200) return null
      return /no-store/i.test(response.headers['cache-control'] ?? '')
        ? undefined
        : { message: 'Cache-Control: no-store is missing', advice: 'Send Cache-Control: no-store.' }
    },
  },
  {
    id: 'token-lifetime',
    step: 'token',
    title: 'The response says when the token expires',
    section: rfc(6749, '5.1'),
    severity: 'warning',
    check(facts) {
      const document = tokenOf(facts)
      if (!document?.access_token) return null
      return typeof document.expires_in === 'number'
        ? undefined
        : {
            message: `expires_in is ${JSON.stringify(document.expires_in) ?? 'missing'}`,
            advice: 'Return expires_in as a number of seconds, so that clients refresh in time.',
          }
    },
  },
  {
    id: 'token-audience',
    step: 'token',
    title: 'The token was issued for this MCP server',
    section: mcp('Token Audience Binding and Validation'),
    severity: 'error',
    check(facts) {
      const audiences = audiencesOf(claimsOf(facts))
      if (!audiences || facts.resource === undefined) return null
      const wanted = withoutSlash(facts.resource)
      return audiences.some((audience) => withoutSlash(audience) === wanted)
        ? undefined
        : {
            message: `aud is ${audiences.join(', ')}, but the resource is ${facts.resource}`,
            advice: 'Put the resource parameter of the request into aud (RFC 8707).',
          }
    },
  },
  {
    id: 'token-issuer',
    step: 'token',
    title: 'The token names the authorization server as its issuer',
    section: rfc(9068, '4'),
    severity: 'error',
    check(facts) {
      const issuer = claimsOf(facts)?.iss
      if (issuer === undefined || facts.issuer === undefined) return null
      return issuer === facts.issuer
        ? undefined
        : { message: `iss is ${String(issuer)}, but the issuer is ${facts.issuer}`, advice: 'Use the issuer of the metadata.' }
    },
  },
  {
    id: 'token-not-expired',
    step: 'token',
    title: 'The token is valid now',
    section: rfc(9068, '4'),
    severity: 'error',
    check(facts) {
      const { exp, nbf } = claimsOf(facts) ?? {}
      if (typeof exp !== 'number') return null
      if (exp * 1000 <= facts.now)
        return {
          message: `The token expired at ${new Date(exp * 1000).toISOString()}`,
          advice: 'Check the clocks, and the lifetime of tokens.',
        }
      return typeof nbf === 'number' && nbf * 1000 > facts.now + 60_000
        ? { message: `The token is not valid before ${new Date(nbf * 1000).toISOString()}`, advice: 'Check the clocks.' }
        : undefined
    },
  },
  {
    id: 'token-scope',
    step: 'token',
    title: 'The token has the scopes that were requested',
    section: rfc(6749, '3.3'),
    severity: 'warning',
    check(facts) {
      const granted = stringMember(tokenOf(facts), 'scope')
      if (granted === undefined || facts.scope === undefined) return null
      const missing = facts.scope.split(' ').filter((scope) => scope !== 'offline_access' && !granted.split(' ').includes(scope))
      return missing.length === 0
        ? undefined
        : { message: `Not granted: ${missing.join(' ')}`, advice: 'Check what the user and the client may do.' }
    },
  },
]

function audiencesOf(claims: JsonObject | undefined): string[] | undefined {
  if (!claims) return undefined
  return [claims.aud ?? []].flat().filter((one): one is string => typeof one === 'string')
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/** The rules for refreshing tokens. */
export const REFRESH_RULES: readonly AuthRule[] = [
  {
    id: 'refresh-response',
    step: 'refresh',
    title: 'The refresh token gets a new access token',
    section: rfc(6749, '6'),
    severity: 'error',
    check(facts) {
      const exchange = lastOf(facts, 'refresh')
      return exchange ? refusalOf(exchange) : null
    },
  },
  {
    id: 'refresh-rotation',
    step: 'refresh',
    title: 'The refresh token of a public client is replaced',
    section: rfc(9700, '2.2.2'),
    severity: 'warning',
    check(facts) {
      const exchange = lastOf(facts, 'refresh')
      const document = documentOf(exchange)
      if (!document?.access_token) return null
      const sent = new URLSearchParams(exchange?.body).get('refresh_token')
      const received = stringMember(document, 'refresh_token')
      return received !== undefined && received !== sent
        ? undefined
        : {
            message: 'The same refresh token stays valid',
            advice: 'Issue a new refresh token each time, and revoke all when an old one is used.',
          }
    },
  },
]
