import { randomId } from '../../../../../util/src/random.ts'
import { mayRedirectTo } from '../clients.ts'
import type { AuthorizationContext } from '../context.ts'
import { override } from '../faults.ts'
import type { ClientMetadata } from '../options.ts'
import { createJsonResponse, OAuthError, type OAuthRequest, type OAuthResponse, requireParameter } from '../request.ts'
import { authenticateClient } from './client-auth.ts'
import { readResources, readScope } from './requested-access.ts'

/**
 * The authorization endpoint ([RFC 6749 §4.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1)). Redirects with a code or with an error,
 * and with `iss` ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)). Never redirects to a URI that the client has not registered.
 */
export async function serveAuthorization(request: OAuthRequest, context: AuthorizationContext): Promise<OAuthResponse> {
  const { parameters } = request
  const client = await context.clients.find(requireParameter(request, 'client_id'))
  if (!client) throw new OAuthError('invalid_client', 'The client is not registered')
  const redirectUri = requireParameter(request, 'redirect_uri')
  if (!mayRedirectTo(client, redirectUri))
    throw new OAuthError('invalid_request', 'redirect_uri is not registered for the client')

  const outcome = await issueCode(request, client, context).catch((error: unknown) => {
    if (error instanceof OAuthError) return { error: error.code, error_description: error.message }
    throw error
  })
  const state = parameters.get('state')
  const correct = { ...outcome, ...(state !== null && { state }), iss: context.issuer }
  const location = new URL(redirectUri)
  for (const [name, value] of Object.entries(override<string>(correct, context.faults().redirect)))
    location.searchParams.set(name, value)
  return { status: 302, headers: { location: location.href, 'cache-control': 'no-store' } }
}

async function issueCode(
  request: OAuthRequest,
  client: ClientMetadata,
  context: AuthorizationContext,
): Promise<Record<string, string>> {
  const { parameters } = request
  if (parameters.get('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'Only response_type=code is supported')
  if (parameters.get('code_challenge_method') !== 'S256') throw new OAuthError('invalid_request', 'PKCE with S256 is required')
  const challenge = requireParameter(request, 'code_challenge')
  const requested = { scope: readScope(request, context), resources: readResources(request, context) }
  const { scope: requestedScope, resources } = requested
  const decision = await context.decide({ client, scopes: splitScopes(requestedScope), resources, via: 'redirect' })
  if ('error' in decision) throw new OAuthError(decision.error, 'The user declined')
  const { subject, scopes } = decision
  const scope = scopes?.join(' ') ?? requestedScope
  const jkt = parameters.get('dpop_jkt')
  const code = randomId()
  context.codes.set(code, {
    grant: { ...requested, subject, scope, clientId: client.client_id, family: randomId(), ...(jkt !== null && { jkt }) },
    redirectUri: requireParameter(request, 'redirect_uri'),
    challenge,
    expiresAt: context.now() + context.lifetimes.codeTtlMs,
    isUsed: false,
  })
  return { code }
}

const USER_CODE_LENGTH = 8

/** The device authorization endpoint ([RFC 8628 §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)). */
export async function serveDeviceAuthorization(request: OAuthRequest, context: AuthorizationContext): Promise<OAuthResponse> {
  const client = await authenticateClient(request, context)
  const { deviceCodeTtlMs, pollIntervalMs } = context.lifetimes
  const deviceCode = randomId()
  const userCode = crypto.randomUUID().slice(0, USER_CODE_LENGTH).toUpperCase()
  const verificationUri = `${context.issuer}/device`
  context.devices.set(deviceCode, {
    userCode,
    clientId: client.client_id,
    scope: readScope(request, context),
    resources: readResources(request, context),
    expiresAt: context.now() + deviceCodeTtlMs,
    lastPolledAt: -Infinity,
    pollIntervalMs,
    decision: undefined,
  })
  return createJsonResponse({
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    expires_in: deviceCodeTtlMs / 1000,
    interval: pollIntervalMs / 1000,
  })
}

/** The page that the user of a device opens. Opening it with a valid code decides the request. */
export async function serveDeviceVerification(request: OAuthRequest, context: AuthorizationContext): Promise<OAuthResponse> {
  const userCode = requireParameter(request, 'user_code')
  const device = [...context.devices.values()].find((candidate) => candidate.userCode === userCode)
  const client = device && (await context.clients.find(device.clientId))
  if (!device || !client) throw new OAuthError('invalid_request', 'The code is unknown')
  const { resources, clientId } = device
  const decision = await context.decide({ client, scopes: splitScopes(device.scope), resources, via: 'device' })
  if ('error' in decision) device.decision = decision
  else {
    const { subject, scopes } = decision
    const scope = scopes?.join(' ') ?? device.scope
    device.decision = { grant: { subject, scope, resources, clientId, family: randomId() } }
  }
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'You can close this page.' }
}

function splitScopes(scope: string): string[] {
  return scope.split(' ').filter(Boolean)
}
