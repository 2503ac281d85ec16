/** Authorization that is broken in one way each, and what the OAuth debugger says about it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthStepId } from 'portcall/diagnostics'
import { type AuthorizationFaults, type AuthorizationServerOptions, authorizationServer } from 'portcall/testing'
import { serveHttp } from './raw-server.ts'

/** A running fixture. */
export interface BrokenAuthorization {
  /** The URL of the MCP server. */
  readonly url: string
  /** The issuer of the authorization server. */
  readonly issuer: string
  close(): Promise<void>
}

/** How to start a fixture, and the step and the rule that the debugger has to name. */
export interface BrokenAuthFixture {
  readonly name: string
  readonly step: AuthStepId
  readonly rule: string
  /** `warning` if the rule only warns. Default: it fails. */
  readonly verdict?: 'warning'
  start(): Promise<BrokenAuthorization>
}

/** The faults of a protected MCP server. */
export interface ProtectedServerFaults {
  /** Handles a request to the endpoint before everything else. Returns whether it did. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** The `WWW-Authenticate` of 401 responses. Default: with the URL of the resource metadata. */
  readonly challenge?: string
  /** Overrides members of the resource metadata; `false` removes it. */
  readonly resource?: Record<string, unknown> | false
  readonly authorization?: AuthorizationFaults
  readonly options?: AuthorizationServerOptions
}

/** Starts an MCP server with an authorization server. */
export async function startAuthorization(faults: ProtectedServerFaults = {}): Promise<BrokenAuthorization> {
  const login = await authorizationServer({ faults: faults.authorization ?? {}, ...faults.options })
  const mcp = await serveHttp((request, response) => {
    const origin = `http://${request.headers.host}`
    request.resume()
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      if (faults.resource === false) return void response.writeHead(404).end()
      const document = { resource: `${origin}/mcp`, authorization_servers: [login.issuer], ...faults.resource }
      return sendJson(response, document)
    }
    if (request.url !== '/mcp') return void response.writeHead(404).end()
    if (faults.intercept?.(request, response)) return
    if (request.headers.authorization !== undefined)
      return sendJson(response, {
        jsonrpc: '2.0',
        id: 'server/discover',
        result: { supportedVersions: ['2026-07-28'], capabilities: {} },
      })
    const header = faults.challenge ?? `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    response.writeHead(401, header === '' ? {} : { 'www-authenticate': header }).end()
  })
  return {
    url: `http://127.0.0.1:${mcp.port}/mcp`,
    issuer: login.issuer,
    async close() {
      await mcp.close()
      await login.close()
    },
  }
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const withMetadata = (metadata: Record<string, unknown>) => () => startAuthorization({ authorization: { metadata } })
const withToken = (token: Record<string, unknown>) => () => startAuthorization({ authorization: { token } })
const withClaims = (claims: Record<string, unknown>) => () => startAuthorization({ authorization: { claims } })
const withRedirect = (redirect: Record<string, string | undefined>) => () => startAuthorization({ authorization: { redirect } })
const withResponse = (endpoint: 'token' | 'register', status: number, body: unknown) => () =>
  startAuthorization({ authorization: { responses: { [endpoint]: { status, body } } } })
const withStatus = (isMatch: (request: IncomingMessage) => boolean, status: number) => () =>
  startAuthorization({
    intercept(request, response) {
      if (!isMatch(request)) return false
      response.writeHead(status).end()
      return true
    },
  })
const lacksToken = ({ headers }: IncomingMessage): boolean => headers.authorization === undefined
const hasToken = (request: IncomingMessage): boolean => !lacksToken(request)

/** The fixtures, in the order of the steps. */
export const BROKEN_AUTH_SERVERS: readonly BrokenAuthFixture[] = [
  { name: 'a server that asks for no token', step: 'challenge', rule: 'challenge-status', start: withStatus(lacksToken, 200) },
  { name: '403 instead of 401', step: 'challenge', rule: 'challenge-status', start: withStatus(lacksToken, 403) },
  {
    name: '401 without a challenge',
    step: 'challenge',
    rule: 'challenge-header',
    verdict: 'warning',
    start: () => startAuthorization({ challenge: '' }),
  },
  {
    name: 'a challenge without resource_metadata',
    step: 'challenge',
    rule: 'challenge-resource-metadata',
    verdict: 'warning',
    start: () => startAuthorization({ challenge: 'Bearer realm="mcp"' }),
  },
  {
    name: 'no resource metadata',
    step: 'resource-metadata',
    rule: 'resource-metadata-found',
    start: () => startAuthorization({ resource: false }),
  },
  {
    name: 'the metadata of another resource',
    step: 'resource-metadata',
    rule: 'resource-identifier',
    start: () => startAuthorization({ resource: { resource: 'https://other.example.com/mcp' } }),
  },
  {
    name: 'no authorization server in the metadata',
    step: 'resource-metadata',
    rule: 'authorization-servers',
    start: () => startAuthorization({ resource: { authorization_servers: [] } }),
  },
  {
    name: 'an authorization server without https',
    step: 'resource-metadata',
    rule: 'authorization-servers',
    start: () => startAuthorization({ resource: { authorization_servers: ['http://login.example.com'] } }),
  },
  {
    name: 'an authorization server without metadata',
    step: 'server-metadata',
    rule: 'server-metadata-found',
    start: () => startAuthorization({ options: { metadataLocations: [] } }),
  },
  {
    name: 'another issuer',
    step: 'server-metadata',
    rule: 'issuer',
    start: withMetadata({ issuer: 'https://evil.example.com' }),
  },
  {
    name: 'no PKCE',
    step: 'server-metadata',
    rule: 'pkce',
    start: withMetadata({ code_challenge_methods_supported: undefined }),
  },
  {
    name: 'only plain PKCE',
    step: 'server-metadata',
    rule: 'pkce',
    start: withMetadata({ code_challenge_methods_supported: ['plain'] }),
  },
  ...['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'http://login.example.com/authorize'].map(
    (url): BrokenAuthFixture => ({
      name: `the authorization endpoint ${url}`,
      step: 'server-metadata',
      rule: 'authorization-endpoint',
      start: withMetadata({ authorization_endpoint: url }),
    }),
  ),
  {
    name: 'no token endpoint',
    step: 'server-metadata',
    rule: 'token-endpoint',
    start: withMetadata({ token_endpoint: undefined }),
  },
  {
    name: 'no authorization code flow',
    step: 'server-metadata',
    rule: 'response-types',
    start: withMetadata({ response_types_supported: ['token'] }),
  },
  {
    name: 'no way to register',
    step: 'server-metadata',
    rule: 'client-registration',
    verdict: 'warning',
    start: withMetadata({ registration_endpoint: undefined, client_id_metadata_document_supported: false }),
  },
  {
    name: 'a registration that is refused',
    step: 'registration',
    rule: 'registration-response',
    start: withResponse('register', 403, { error: 'access_denied' }),
  },
  {
    name: 'a registration with another redirect URI',
    step: 'registration',
    rule: 'registration-redirect-uri',
    start: withResponse('register', 201, { client_id: 'c1', redirect_uris: ['https://other.example.com/callback'] }),
  },
  { name: 'another state in the response', step: 'callback', rule: 'callback-state', start: withRedirect({ state: 'foreign' }) },
  { name: 'no state in the response', step: 'callback', rule: 'callback-state', start: withRedirect({ state: undefined }) },
  {
    name: 'another iss in the response',
    step: 'callback',
    rule: 'callback-issuer',
    start: withRedirect({ iss: 'https://evil.example.com' }),
  },
  {
    name: 'a user who refuses',
    step: 'callback',
    rule: 'callback-error',
    start: () => startAuthorization({ options: { decide: () => ({ error: 'access_denied' }) } }),
  },
  { name: 'no code in the response', step: 'callback', rule: 'callback-code', start: withRedirect({ code: undefined }) },
  {
    name: 'a code that is refused',
    step: 'token',
    rule: 'token-response',
    start: withResponse('token', 400, { error: 'invalid_grant', error_description: 'PKCE verification failed' }),
  },
  {
    name: 'a web page as the token response',
    step: 'token',
    rule: 'token-response',
    start: withResponse('token', 200, '<html>'),
  },
  { name: 'no access token', step: 'token', rule: 'access-token', start: withToken({ access_token: undefined }) },
  { name: 'an unknown token type', step: 'token', rule: 'token-type', start: withToken({ token_type: 'mac' }) },
  { name: 'no lifetime', step: 'token', rule: 'token-lifetime', verdict: 'warning', start: withToken({ expires_in: undefined }) },
  {
    name: 'a token for another server',
    step: 'token',
    rule: 'token-audience',
    start: withClaims({ aud: 'https://other.example.com/mcp' }),
  },
  {
    name: 'a token of another issuer',
    step: 'token',
    rule: 'token-issuer',
    start: withClaims({ iss: 'https://evil.example.com' }),
  },
  { name: 'a token that has expired', step: 'token', rule: 'token-not-expired', start: withClaims({ exp: 1_577_836_800 }) },
  {
    name: 'a fresh token that is refused again and again',
    step: 'call',
    rule: 'call-accepted',
    start: withStatus(hasToken, 401),
  },
  { name: 'a server that crashes on a token', step: 'call', rule: 'call-response', start: withStatus(hasToken, 500) },
]
