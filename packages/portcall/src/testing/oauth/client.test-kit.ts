import * as oauth from 'oauth4webapi'
import { onTestFinished } from 'vitest'
import {
  type AuthorizationServerOptions,
  authorizationServer,
  type ClientMetadata,
  type TestAuthorizationServer,
} from '../../testing.ts'

export const REDIRECT = 'http://127.0.0.1:7777/callback'
export const RESOURCE = 'https://api.example.com/mcp'
export const PUBLIC: ClientMetadata = { client_id: 'app', redirect_uris: [REDIRECT] }
export const INSECURE = { [oauth.allowInsecureRequests]: true } as const

/** A server, and what a client of another make knows of it. */
export interface Played {
  readonly login: TestAuthorizationServer
  readonly as: oauth.AuthorizationServer
}

/** Starts a server that is closed after the test, and reads its metadata as a client does. */
export async function play(options: AuthorizationServerOptions = {}): Promise<Played> {
  const login = await authorizationServer({ clients: [PUBLIC], ...options })
  onTestFinished(() => login.close())
  const issuer = new URL(login.issuer)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE })
  return { login, as: await oauth.processDiscoveryResponse(issuer, response) }
}

/** Asks for a code in the place of a browser: where it is sent to. */
export async function visit(as: oauth.AuthorizationServer, parameters: Record<string, string>): Promise<URL> {
  const url = new URL(as.authorization_endpoint!)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (location === null) throw new Error(`${response.status} ${await response.text()}`)
  return new URL(location)
}

/** What a whole login gives, and what it was asked with. */
export async function logIn(
  { as }: Played,
  more: { client?: oauth.Client; auth?: oauth.ClientAuth; dpop?: oauth.DPoPHandle; scope?: string } = {},
): Promise<oauth.TokenEndpointResponse> {
  const { client = { client_id: 'app' }, auth = oauth.None(), dpop, scope = 'notes:read' } = more
  const verifier = oauth.generateRandomCodeVerifier()
  const back = await visit(as, {
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    response_type: 'code',
    state: 'state-1',
    scope,
    resource: RESOURCE,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const parameters = oauth.validateAuthResponse(as, client, back, 'state-1')
  const request = (): Promise<Response> =>
    oauth.authorizationCodeGrantRequest(as, client, auth, parameters, REDIRECT, verifier, {
      ...INSECURE,
      ...(dpop && { DPoP: dpop }),
      additionalParameters: { resource: RESOURCE },
    })
  const response = await request()
  try {
    return await oauth.processAuthorizationCodeResponse(as, client, response)
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error
    return oauth.processAuthorizationCodeResponse(as, client, await request())
  }
}

/** Posts a form, and gives the status and the JSON. */
export async function post(url: string, form: Record<string, string>): Promise<{ status: number; json: any }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}
