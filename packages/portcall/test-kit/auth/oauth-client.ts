import * as oauth from 'oauth4webapi'
import { onTestFinished } from 'vitest'
import { authorizationServer, type TestAuthorizationServer } from '../../src/testing/oauth/authorization-server.ts'
import type { AuthorizationServerOptions, ClientMetadata } from '../../src/testing/oauth/options.ts'

export const REDIRECT_URI = 'http://127.0.0.1:7777/callback'
export const RESOURCE = 'https://api.example.com/mcp'
export const PUBLIC_CLIENT: ClientMetadata = { client_id: 'app', redirect_uris: [REDIRECT_URI] }
export const INSECURE = { [oauth.allowInsecureRequests]: true } as const

/** A server, and its metadata as read by an independent OAuth client. */
export interface RunningServer {
  readonly server: TestAuthorizationServer
  readonly metadata: oauth.AuthorizationServer
}

/** Starts a server that is closed after the test, and discovers its metadata. */
export async function startServer(options: AuthorizationServerOptions = {}): Promise<RunningServer> {
  const server = await authorizationServer({ clients: [PUBLIC_CLIENT], ...options })
  onTestFinished(() => server.close())
  const issuer = new URL(server.issuer)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE })
  return { server, metadata: await oauth.processDiscoveryResponse(issuer, response) }
}

/** Sends an authorization request, as a browser does. Returns the URL of the redirect. */
export async function openAuthorizationUrl(
  metadata: oauth.AuthorizationServer,
  parameters: Record<string, string>,
): Promise<URL> {
  const url = new URL(metadata.authorization_endpoint!)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`${response.status} ${await response.text()}`)
  return new URL(location)
}

/** Completes the authorization code flow. Returns the token response. */
export async function signIn(
  { metadata }: RunningServer,
  options: { client?: oauth.Client; auth?: oauth.ClientAuth; dpop?: oauth.DPoPHandle; scope?: string } = {},
): Promise<oauth.TokenEndpointResponse> {
  const { client = { client_id: 'app' }, auth = oauth.None(), dpop, scope = 'notes:read' } = options
  const verifier = oauth.generateRandomCodeVerifier()
  const redirect = await openAuthorizationUrl(metadata, {
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    state: 'state-1',
    scope,
    resource: RESOURCE,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const parameters = oauth.validateAuthResponse(metadata, client, redirect, 'state-1')
  const request = (): Promise<Response> =>
    oauth.authorizationCodeGrantRequest(metadata, client, auth, parameters, REDIRECT_URI, verifier, {
      ...INSECURE,
      ...(dpop && { DPoP: dpop }),
      additionalParameters: { resource: RESOURCE },
    })
  const response = await request()
  try {
    return await oauth.processAuthorizationCodeResponse(metadata, client, response)
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error
    return oauth.processAuthorizationCodeResponse(metadata, client, await request())
  }
}

/** Posts a form. Returns the status and the JSON of the response. */
export async function post(url: string, form: Record<string, string>): Promise<{ status: number; json: any }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}
