import { delay } from '../../../../../util/src/timers.ts'
import type { JsonObject } from '../../../jsonrpc/message.ts'
import { readId, readNumber, readSeconds, readText } from '../../members.ts'
import {
  type AuthProviderOptions,
  checkGrantOptions,
  createAuthProvider,
  type GrantOptionNames,
  type OAuthProvider,
} from '../auth-provider.ts'
import { AuthError } from '../errors.ts'
import { createClientAuth } from '../oauth/client-authentication.ts'
import { loadOAuth } from '../oauth/load-oauth.ts'
import { type EndpointInfo, readOAuthResponse, toAuthError } from '../oauth/oauth-response.ts'
import { requestTokens } from '../oauth/token-endpoint.ts'
import { createClientRegistrar } from '../registration/client-registration.ts'
import { signInWithClient } from '../registration/registered-client.ts'
import type { ClientSources } from '../registration/registration-request.ts'
import { CLIENT_SOURCE_NAMES } from '../registration/registration-request.ts'
import type { ClientIdentity, GrantContext, TokenSet } from '../types.ts'

/** The data with which a user signs in on another device. */
export interface DeviceAuthorization {
  /** The code that the user enters. Show it. */
  readonly userCode: string
  /** The page on which the user enters the code. */
  readonly verificationUri: URL
  /** The same page with the code filled in, for a link or a QR code. */
  readonly verificationUriComplete?: URL
  /** When the codes expire, in milliseconds since 1970. */
  readonly expiresAt: number
}

export interface DeviceCodeOptions extends AuthProviderOptions, ClientSources {
  /** Shows the code to the user. An error that it throws ends the sign-in. */
  readonly prompt: (authorization: DeviceAuthorization) => void | Promise<void>
}

const NAMES: GrantOptionNames<DeviceCodeOptions> = { ...CLIENT_SOURCE_NAMES, prompt: 'function' }
const REQUIRED = { prompt: 'Pass a function that shows the code: ({ userCode, verificationUri }) => …' }
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const INTERVAL_S = 5
const MAX_INTERVAL_S = 60
/** The lifetime of codes whose response does not name one. */
const LIFETIME_S = 600
const MAX_LIFETIME_S = 86_400

/** Signs users in on another device, with a code that your program shows (RFC 8628). Use it in programs without a browser. */
export function deviceCode(options: DeviceCodeOptions): OAuthProvider {
  checkGrantOptions('deviceCode()', options, { own: NAMES, required: REQUIRED })
  const registrar = createClientRegistrar(options, 'device')
  const request = {
    redirectUris: [],
    grantTypes: [GRANT_TYPE, 'refresh_token'],
    applicationType: 'native',
  } as const
  return createAuthProvider(
    {
      name: `device ${options.client?.clientId ?? options.clientMetadataUrl ?? ''}`,
      offlineAccess: true,
      chooseIssuer: registrar.chooseIssuer,
      client: async (_context, tokens) => registrar.issuedTo(tokens),
      forget: registrar.forget,
      obtain: (context) =>
        signInWithClient(registrar, { context, request }, async ({ client }) => {
          const pending = await requestDeviceCode(context, client)
          await options.prompt(pending.authorization)
          return poll(context, client, pending)
        }),
    },
    options,
  )
}

interface PendingAuthorization {
  readonly deviceCode: string
  readonly authorization: DeviceAuthorization
  readonly intervalMs: number
}

async function requestDeviceCode(context: GrantContext, client: ClientIdentity): Promise<PendingAuthorization> {
  const { resource, scope, checkBrowserUrl, signal } = context
  const { oauth, server, options } = await loadOAuth(context)
  if (server.device_authorization_endpoint === undefined)
    throw new AuthError('discovery_failed', `${server.issuer} has no device authorization endpoint`)
  const endpoint: EndpointInfo = {
    reason: 'denied',
    label: `The device authorization endpoint of ${server.issuer}`,
  }
  const identity = { client_id: client.clientId }
  const parameters = { resource, ...(scope !== undefined && { scope }) }
  try {
    const auth = await createClientAuth(client, server)
    const response = await oauth.deviceAuthorizationRequest(server, identity, auth, parameters, options)
    return readDeviceAuthorization(await readOAuthResponse(response, endpoint), checkBrowserUrl)
  } catch (error) {
    signal.throwIfAborted()
    throw toAuthError(error, endpoint)
  }
}

/** Reads a response. An optional member with a wrong value counts as absent. `verification_url` is what drafts of RFC 8628 called it. */
function readDeviceAuthorization(body: JsonObject, checkBrowserUrl: GrantContext['checkBrowserUrl']): PendingAuthorization {
  const [code, userCode] = [readText(body.device_code), readId(body.user_code)]
  const uri = readText(body.verification_uri) ?? readText(body.verification_url)
  if (code === undefined || userCode === undefined || uri === undefined)
    throw new Error('device_code, user_code or verification_uri is missing')
  const complete = readCompleteUri(body.verification_uri_complete, checkBrowserUrl)
  const intervalS = readNumber(body.interval) ?? INTERVAL_S
  const lifetimeS = Math.min(readSeconds(body.expires_in) ?? LIFETIME_S, MAX_LIFETIME_S)
  return {
    deviceCode: code,
    intervalMs: (intervalS < 0 ? INTERVAL_S : Math.min(intervalS, MAX_INTERVAL_S)) * 1000,
    authorization: {
      userCode,
      verificationUri: checkBrowserUrl(uri),
      ...(complete && { verificationUriComplete: complete }),
      expiresAt: Date.now() + lifetimeS * 1000,
    },
  }
}

function readCompleteUri(value: unknown, checkBrowserUrl: GrantContext['checkBrowserUrl']): URL | undefined {
  const text = readText(value)
  try {
    return text === undefined ? undefined : checkBrowserUrl(text)
  } catch {
    return undefined
  }
}

/** Polls the token endpoint until the user has decided, at the interval that the server demands. */
async function poll(
  context: GrantContext,
  client: ClientIdentity,
  { deviceCode, authorization, intervalMs }: PendingAuthorization,
): Promise<TokenSet> {
  let delayMs = intervalMs
  while (Date.now() < authorization.expiresAt) {
    await delay(delayMs, context.signal)
    try {
      return await requestTokens(context, client, { grant_type: GRANT_TYPE, device_code: deviceCode })
    } catch (error) {
      delayMs += additionalDelayMs(error)
    }
  }
  throw codeExpired()
}

/** Returns by how much to increase the polling interval (RFC 8628, section 3.5). @throws the error, if it ends the sign-in. */
function additionalDelayMs(error: unknown): number {
  if (!(error instanceof AuthError)) throw error
  const { response, reason } = error
  if (response?.error === 'authorization_pending') return 0
  if (response?.error === 'slow_down' || reason === 'unreachable') return INTERVAL_S * 1000
  if (response?.error === 'expired_token') throw codeExpired()
  if (response?.error === 'access_denied') throw new AuthError('denied', 'The user denied access', { response })
  throw error
}

function codeExpired(): AuthError {
  return new AuthError('timed_out', 'The user did not sign in before the code expired')
}
