/** The steps of a sign-in, made of the parts that the auth providers of this library use. */

import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { readBearerChallenge } from '../../auth/client/discovery/challenge.ts'
import { discoverAuthorizationServer } from '../../auth/client/discovery/discover.ts'
import { type AuthorizationAttempt, createAuthorizationAttempt } from '../../auth/client/grants/authorization-attempt.ts'
import { requestTokens } from '../../auth/client/oauth/token-endpoint.ts'
import { createClientRegistrar } from '../../auth/client/registration/client-registration.ts'
import { addOfflineAccess } from '../../auth/client/tokens/offline-access.ts'
import { joinScopes } from '../../auth/client/tokens/scopes.ts'
import type { GrantContext, TokenSet } from '../../auth/client/types.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { createProbeRequest } from '../../transports/http/client/probe-request.ts'
import { issuerOf } from './discovery.ts'
import type { FlowParts } from './flow-parts.ts'
import type { DecodedToken } from './flow-state.ts'
import { decodeClaims, decodeHeader, documentOf, lastOf, stringMember } from './observed.ts'
import type { AuthStepId } from './types.ts'

const CLIENT_INFO = { name: 'portcall-oauth-debugger', version: '1.0.0' }

/** Runs a flow from the challenge to a call with the token. */
export async function runSignIn(parts: FlowParts): Promise<void> {
  await challenge(parts)
  await discover(parts)
  await register(parts)
  await signIn(parts, 'token', parts.session.scope)
  await call(parts, 'call')
}

async function challenge(parts: FlowParts): Promise<void> {
  const { log, endpoint, session, options } = parts
  log.enter('challenge')
  log.learn({ endpoint, hasConfiguredClient: options.client !== undefined, redirectUri: options.redirectUri })
  const response = await post(parts, 'server/discover')
  // Servers of older revisions may not check the token of a request that they do not know.
  const last = response.status === 401 || response.ok ? response : await post(parts, 'initialize')
  session.challenge = readBearerChallenge(last.headers.get('www-authenticate') ?? undefined)
  log.leave('challenge', { summary: `The server responds with HTTP ${last.status}` })
}

async function discover(parts: FlowParts): Promise<void> {
  const { log, endpoint, fetch, signal, session, options } = parts
  log.enter('resource-metadata')
  const found = await discoverAuthorizationServer({ endpoint, challenge: session.challenge ?? {}, fetch, signal }).catch(
    (error: unknown) => error,
  )
  log.learn({ issuer: issuerOf({ endpoint, exchanges: log.exchanges }) })
  log.leave('resource-metadata')
  if (found instanceof Error) {
    log.enter('server-metadata')
    log.leave('server-metadata')
    throw found
  }
  const { server, resource, scope: supported } = found as Awaited<ReturnType<typeof discoverAuthorizationServer>>
  const wanted = joinScopes(...(options.scopes ?? [])) ?? session.challenge?.scope ?? supported
  const scope = addOfflineAccess(wanted, { offlineAccess: true }, { server, resource })
  Object.assign(session, { server, resource, scope })
  log.learn({ resource, ...(scope !== undefined && { scope }) })
  log.leave('server-metadata', { summary: `The issuer is ${server.issuer}` })
}

async function register(parts: FlowParts): Promise<void> {
  const { log, options, session } = parts
  const { client: configured, clientMetadataUrl, clientName = 'Portcall', redirectUri } = options
  log.enter('registration')
  const sources = {
    clientName,
    ...withoutUndefined({ client: configured, clientMetadataUrl }),
  }
  const request = {
    redirectUris: [redirectUri],
    grantTypes: ['authorization_code', 'refresh_token'],
    applicationType: redirectUri.startsWith('https:') ? ('web' as const) : ('native' as const),
  }
  const { client, isDynamic } = await createClientRegistrar(sources, 'debugger').resolve(contextOf(parts), request)
  session.client = client
  log.mask.add(client.clientSecret)
  log.learn({ clientId: client.clientId })
  const how = isDynamic ? 'was registered' : configured ? 'is configured' : 'is a client ID metadata document'
  log.leave('registration', { summary: `The client ${client.clientId} ${how}` })
}

/** Sends the user to the authorization server, waits for the response, and exchanges the code. */
async function signIn(parts: FlowParts, tokenStep: 'token' | 'step-up', scope: string | undefined): Promise<void> {
  const { log, session, options, callbacks, signal } = parts
  if (!session.client) throw new Error('The flow has no client yet')
  log.enter(tokenStep === 'token' ? 'authorization' : tokenStep)
  const { redirectUri } = options
  const context = { ...contextOf(parts), scope }
  const attempt = await createAuthorizationAttempt(context, { client: session.client, redirectUri })
  log.mask.add(attempt.verifier)
  log.learn({ authorizationUrl: attempt.url, expectedState: attempt.state })
  if (tokenStep === 'token') {
    log.leave('authorization', { summary: `The user signs in at ${attempt.url.origin}${attempt.url.pathname}` })
    log.enter('callback')
  }
  log.waitAt(attempt.url)
  const response = await callbacks.wait(attempt.state, signal)
  if (tokenStep === 'token') log.leave('callback')
  log.enter(tokenStep)
  session.tokens = await redeem(parts, attempt, response)
  log.leave(tokenStep, { claims: decodedTokens(parts, tokenStep) })
}

/** An error of the token endpoint is explained by the rules, and other errors are thrown. */
async function redeem({ log }: FlowParts, attempt: AuthorizationAttempt, response: URLSearchParams): Promise<TokenSet> {
  const { current } = log
  try {
    return await attempt.redeem(response)
  } catch (error) {
    log.leave(current)
    throw error
  }
}

/** Calls the MCP server with the token. */
async function call(parts: FlowParts, step: 'call' | 'step-up'): Promise<void> {
  const { log, session } = parts
  log.enter(step)
  const { accessToken } = session.tokens ?? {}
  const response = await post(parts, 'server/discover', accessToken)
  const last =
    response.status === 401 || response.status === 403 || response.ok ? response : await post(parts, 'initialize', accessToken)
  if (last.status === 403) session.challenge = readBearerChallenge(last.headers.get('www-authenticate') ?? undefined)
  log.leave(step, { summary: `The MCP server responds with HTTP ${last.status}` })
}

/** Uses the refresh token. */
export async function runRefresh(parts: FlowParts): Promise<void> {
  const { log, session } = parts
  const { client, tokens } = session
  if (!client || tokens?.refreshToken === undefined)
    return log.skip('refresh', 'The authorization server issued no refresh token')
  log.enter('refresh')
  const parameters = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken }
  const refreshed = await requestTokens(contextOf(parts), client, parameters).catch((error: unknown) => {
    log.leave('refresh')
    throw error
  })
  session.tokens = { refreshToken: tokens.refreshToken, ...refreshed }
  log.leave('refresh', { claims: decodedTokens(parts, 'refresh') })
}

/** Signs in again with more scopes, and calls again. */
export async function runStepUp(parts: FlowParts, scopes?: readonly string[]): Promise<void> {
  const { session } = parts
  const wanted = scopes ? joinScopes(...scopes) : session.challenge?.scope
  await signIn(parts, 'step-up', joinScopes(session.scope, wanted))
  await call(parts, 'step-up')
}

function contextOf({ endpoint, session, fetch, checkBrowserUrl, signal }: FlowParts): GrantContext {
  const { server, resource } = session
  if (!server || resource === undefined) throw new Error('The flow has not found an authorization server yet')
  return {
    endpoint,
    server,
    resource,
    scope: session.scope,
    store: createMemoryStore(),
    fetch,
    checkBrowserUrl,
    dpop: undefined,
    signal,
  }
}

/** Sends a request to the MCP server. */
function post(
  { endpoint, fetch, signal }: FlowParts,
  method: 'server/discover' | 'initialize',
  token?: string,
): Promise<Response> {
  const { message, headers } = createProbeRequest(method, CLIENT_INFO)
  return fetch(endpoint, {
    method: 'POST',
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(message),
    signal,
  })
}

function decodedTokens({ log }: FlowParts, step: AuthStepId): DecodedToken[] {
  const exchange =
    log.exchanges.findLast((one) => one.step === step && documentOf(one)?.access_token !== undefined) ?? lastOf(log, step)
  const document = documentOf(exchange)
  return (['access_token', 'id_token'] as const).flatMap((label) => {
    const token = stringMember(document, label)
    const [header, payload] = [decodeHeader(token), decodeClaims(token)]
    return isObject(header) && payload ? [{ label, header, payload }] : []
  })
}
