import { documentOf, lastOf, stringMember, stringsMember } from '../observed.ts'
import type { AuthFacts, AuthRule } from '../types.ts'
import { mcp, rfc } from './sections.ts'

const registeredOf = (facts: AuthFacts) => documentOf(lastOf(facts, 'registration'))

/** The rules for dynamic client registration. */
export const REGISTRATION_RULES: readonly AuthRule[] = [
  {
    id: 'registration-response',
    step: 'registration',
    title: 'The registration endpoint returns a client ID',
    section: rfc(7591, '3.2.1'),
    severity: 'error',
    check(facts) {
      const exchange = lastOf(facts, 'registration')
      if (!exchange) return null
      const { response, error } = exchange
      const document = documentOf(exchange)
      if (response && response.status < 300 && stringMember(document, 'client_id')) return undefined
      const reason = [document?.error, document?.error_description].filter((text) => typeof text === 'string').join(': ')
      return {
        message: response
          ? `The registration fails: HTTP ${response.status}${reason && `, ${reason}`}`
          : `The registration endpoint does not respond: ${error}`,
        advice:
          'Return 201 with a client_id. If clients have to be registered by hand, remove registration_endpoint from the metadata.',
      }
    },
  },
  {
    id: 'registration-status',
    step: 'registration',
    title: 'A registration is answered with 201',
    section: rfc(7591, '3.2.1'),
    severity: 'warning',
    check(facts) {
      const status = lastOf(facts, 'registration')?.response?.status
      if (status === undefined || status >= 300) return null
      return status === 201 ? undefined : { message: `The status is ${status}`, advice: 'Return 201.' }
    },
  },
  {
    id: 'registration-redirect-uri',
    step: 'registration',
    title: 'The redirect URI was registered',
    section: rfc(7591, '3.2.1'),
    severity: 'error',
    check(facts) {
      const uris = stringsMember(registeredOf(facts), 'redirect_uris')
      if (!uris || facts.redirectUri === undefined) return null
      return uris.includes(facts.redirectUri)
        ? undefined
        : {
            message: `The server registered ${JSON.stringify(uris)} instead of ${facts.redirectUri}`,
            advice: 'Register the redirect URIs of the request, or refuse it.',
          }
    },
  },
  {
    id: 'registration-secret',
    step: 'registration',
    title: 'A client that needs a secret gets one, with its expiry',
    section: rfc(7591, '3.2.1'),
    severity: 'warning',
    check(facts) {
      const document = registeredOf(facts)
      if (!document?.client_id) return null
      const { client_secret: secret, client_secret_expires_at: expiresAt, token_endpoint_auth_method: method } = document
      if (typeof method === 'string' && method.startsWith('client_secret') && secret === undefined)
        return {
          message: `The method is ${method}, but there is no client_secret`,
          advice: 'Return a secret, or the method none.',
        }
      return secret !== undefined && typeof expiresAt !== 'number'
        ? { message: 'client_secret_expires_at is missing', advice: 'Return it with the secret; 0 if it does not expire.' }
        : undefined
    },
  },
]

const paramsOf = ({ callback }: AuthFacts): URLSearchParams | undefined => callback

/** The rules for the authorization response. */
export const CALLBACK_RULES: readonly AuthRule[] = [
  {
    id: 'callback-state',
    step: 'callback',
    title: 'The response repeats the state of the request, once',
    section: rfc(6749, '4.1.2'),
    severity: 'error',
    check(facts) {
      const states = paramsOf(facts)?.getAll('state')
      if (!states || facts.expectedState === undefined) return null
      const [state = ''] = states
      if (facts.usedStates?.has(state))
        return { message: 'The state was used before: the response is refused', advice: 'Redirect once for each request.' }
      return states.length === 1 && state === facts.expectedState
        ? undefined
        : {
            message: `The state is ${states.length === 0 ? 'missing' : 'another one'}: the response is refused`,
            advice: 'Repeat the state of the request exactly.',
          }
    },
  },
  {
    id: 'callback-issuer',
    step: 'callback',
    title: 'The response names its issuer',
    section: rfc(9207, '2.4'),
    severity: 'error',
    check(facts) {
      const issuers = paramsOf(facts)?.getAll('iss')
      if (!issuers || facts.issuer === undefined) return null
      const isPromised = documentOf(lastDocument(facts))?.authorization_response_iss_parameter_supported === true
      if (issuers.length === 0)
        return isPromised
          ? { message: 'iss is missing, although the metadata promises it', advice: 'Add iss to authorization responses.' }
          : undefined
      return issuers.length === 1 && issuers[0] === facts.issuer
        ? undefined
        : {
            message: `iss is ${issuers.join(', ')}, but the issuer is ${facts.issuer}`,
            advice: 'Send the issuer of the metadata.',
          }
    },
  },
  {
    id: 'callback-error',
    step: 'callback',
    title: 'The authorization server grants access',
    section: rfc(6749, '4.1.2.1'),
    severity: 'error',
    check(facts) {
      const params = paramsOf(facts)
      const error = params?.get('error')
      if (!params) return null
      return error === null || error === undefined
        ? undefined
        : {
            message: `The authorization server refuses: ${[error, params.get('error_description')].filter(Boolean).join(': ')}`,
            advice: 'Check the user, the client and the scopes.',
          }
    },
  },
  {
    id: 'callback-code',
    step: 'callback',
    title: 'The response has one code',
    section: rfc(6749, '4.1.2'),
    severity: 'error',
    check(facts) {
      const params = paramsOf(facts)
      if (!params || params.has('error')) return null
      const codes = params.getAll('code').filter(Boolean)
      return codes.length === 1
        ? undefined
        : { message: `The response has ${codes.length} codes`, advice: 'Send exactly one code.' }
    },
  },
]

function lastDocument({ exchanges }: AuthFacts): AuthFacts['exchanges'][number] | undefined {
  return exchanges.findLast(({ step, response }) => step === 'server-metadata' && response?.status === 200)
}

/** The rules for calls with a token, and for more scopes. */
export const CALL_RULES: readonly AuthRule[] = [
  {
    id: 'call-accepted',
    step: 'call',
    title: 'The MCP server accepts the token',
    section: mcp('Token Handling'),
    severity: 'error',
    check(facts) {
      const response = lastOf(facts, 'call')?.response
      if (!response) return null
      return response.status === 401
        ? {
            message: 'The MCP server refuses the token that was just issued (HTTP 401): clients sign in again and again',
            advice: 'Compare the issuer, the audience and the keys that the MCP server expects with the claims of the token.',
          }
        : undefined
    },
  },
  {
    id: 'call-response',
    step: 'call',
    title: 'The MCP server answers the call',
    section: mcp('Token Handling'),
    severity: 'error',
    check(facts) {
      const exchange = lastOf(facts, 'call')
      if (!exchange) return null
      if (exchange.response && (exchange.response.status < 500 || exchange.response.status === 501)) return undefined
      return {
        message: exchange.response
          ? `The MCP server fails (HTTP ${exchange.response.status})`
          : `The MCP server does not respond: ${exchange.error}`,
        advice: 'Look at the log of the MCP server.',
      }
    },
  },
  {
    id: 'step-up-challenge',
    step: 'step-up',
    title: 'A token that lacks scopes is refused with the scopes that are needed',
    section: rfc(6750, '3.1'),
    severity: 'error',
    check(facts) {
      const response = facts.exchanges.findLast(({ step, response: one }) => step === 'call' && one?.status === 403)?.response
      if (!response) return null
      const header = response.headers['www-authenticate'] ?? ''
      return /error="?insufficient_scope/i.test(header) && /\bscope=/i.test(header)
        ? undefined
        : {
            message: 'The 403 response does not name the scopes that are needed',
            advice: 'Send WWW-Authenticate: Bearer error="insufficient_scope", scope="…".',
          }
    },
  },
  {
    id: 'step-up-accepted',
    step: 'step-up',
    title: 'The server accepts the token with more scopes',
    section: mcp('Step-Up Authorization Flow'),
    severity: 'error',
    check(facts) {
      const last = facts.exchanges.findLast(
        ({ step, headers }) => step === 'step-up' && headers.authorization !== undefined && isToServer(facts, step),
      )
      if (!last?.response) return null
      return last.response.status === 401 || last.response.status === 403
        ? {
            message: `The server refuses the new token too (HTTP ${last.response.status})`,
            advice: 'Check which scopes the authorization server grants, and which the MCP server demands.',
          }
        : undefined
    },
  },
]

function isToServer({ exchanges, endpoint }: AuthFacts, step: string): boolean {
  return exchanges.some((exchange) => exchange.step === step && exchange.url === endpoint.href)
}
