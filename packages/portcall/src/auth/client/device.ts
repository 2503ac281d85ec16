import { pause } from '../../jsonrpc/waiting.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import { authenticate } from './client-auth.ts'
import { AuthError } from './errors.ts'
import { createFlow, type FlowOptions } from './flow.ts'
import { loadOAuth } from './oauth.ts'
import { type Answering, asAuthError, readAnswer } from './refusal.ts'
import { type ClientSources, createClients } from './register.ts'
import { requestTokens } from './token.ts'
import type { ClientIdentity, GrantContext, Tokens } from './types.ts'

/** What a user has to be told to sign in on another device. */
export interface DeviceCode {
  readonly userCode: string
  /** Where the code is to be typed in. */
  readonly verificationUri: URL
  /** The same with the code in it, for a link or a QR code. */
  readonly verificationUriComplete?: URL
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** How a user signs in on another device. */
export interface DeviceOptions extends FlowOptions, ClientSources {
  /** Shows a code to the user. What it throws ends the attempt. */
  readonly prompt: (code: DeviceCode) => void | Promise<void>
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const INTERVAL_S = 5

/** Signs users in on another device, by a code that they are shown (RFC 8628): for programs without a browser. */
export function device(options: DeviceOptions): AuthProvider {
  const clients = createClients(options, 'device')
  const wanted = { redirectUris: [], grantTypes: [GRANT_TYPE, 'refresh_token'], applicationType: 'native' } as const
  return createFlow(
    {
      name: `device ${options.client?.clientId ?? options.clientMetadataUrl ?? ''}`,
      offline: true,
      choose: clients.choose,
      client: async (_context, tokens) => clients.issuedTo(tokens),
      async obtain(context) {
        const { client, registered } = await clients.identify(context, wanted)
        const grant = await requestCode(context, client)
        await options.prompt(grant.code)
        const tokens = await poll(context, client, grant)
        return registered ? { ...tokens, client } : tokens
      },
    },
    options,
  )
}

interface DeviceGrant {
  readonly deviceCode: string
  readonly code: DeviceCode
  readonly intervalMs: number
}

async function requestCode(context: GrantContext, client: ClientIdentity): Promise<DeviceGrant> {
  const { resource, scope, openable, signal } = context
  const { oauth, server, options } = await loadOAuth(context)
  if (server.device_authorization_endpoint === undefined)
    throw new AuthError('discovery_failed', `${server.issuer} does not sign in devices`)
  const answering: Answering = { fault: 'denied', who: `The device endpoint of ${server.issuer}` }
  const identity = { client_id: client.clientId }
  const parameters = { resource, ...(scope !== undefined && { scope }) }
  try {
    const auth = await authenticate(client, server)
    const response = await oauth.deviceAuthorizationRequest(server, identity, auth, parameters, options)
    const answer = Response.json(await readAnswer(response, answering))
    const issued = await oauth.processDeviceAuthorizationResponse(server, identity, answer)
    const { verification_uri_complete: complete, interval = INTERVAL_S } = issued
    return {
      deviceCode: issued.device_code,
      intervalMs: interval * 1000,
      code: {
        userCode: issued.user_code,
        verificationUri: openable(issued.verification_uri),
        ...(complete !== undefined && { verificationUriComplete: openable(complete) }),
        expiresAt: Date.now() + issued.expires_in * 1000,
      },
    }
  } catch (error) {
    signal.throwIfAborted()
    throw asAuthError(error, answering)
  }
}

/** Asks until the user has decided, not more often than the server wants it. */
async function poll(
  context: GrantContext,
  client: ClientIdentity,
  { deviceCode, code, intervalMs }: DeviceGrant,
): Promise<Tokens> {
  let waitMs = intervalMs
  while (Date.now() < code.expiresAt) {
    await pause(waitMs, context.signal)
    try {
      return await requestTokens(context, client, { grant_type: GRANT_TYPE, device_code: deviceCode })
    } catch (error) {
      waitMs += longerMs(error)
    }
  }
  throw new AuthError('timed_out', 'Nobody has signed in before the code expired')
}

/** By how much to wait longer the next time (RFC 8628 section 3.5). @throws what ends the attempt. */
function longerMs(error: unknown): number {
  if (!(error instanceof AuthError)) throw error
  const { refusal, fault } = error
  if (refusal?.error === 'authorization_pending') return 0
  if (refusal?.error === 'slow_down' || fault === 'unreachable') return INTERVAL_S * 1000
  if (refusal?.error === 'expired_token') throw new AuthError('timed_out', 'Nobody has signed in before the code expired')
  if (refusal?.error === 'access_denied') throw new AuthError('denied', 'Signing in was refused', { refusal })
  throw error
}
