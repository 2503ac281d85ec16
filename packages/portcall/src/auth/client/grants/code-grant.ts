import type { AuthProviderOptions } from '../auth-provider.ts'
import { type ClientRegistrar, createClientRegistrar } from '../registration/client-registration.ts'
import { signInWithClient } from '../registration/registered-client.ts'
import type { ClientSources, RegistrationRequest } from '../registration/registration-request.ts'
import type { ClientIdentity, GrantContext, GrantType, TokenSet } from '../types.ts'
import { type AuthorizationAttempt, createAuthorizationAttempt, type insecureUnadvertisedPkce } from './authorization-attempt.ts'

/** Options of the providers that send users to an authorization server. */
export interface SignInOptions extends AuthProviderOptions, ClientSources {
  /** Allows authorization servers that do not advertise PKCE. */
  readonly pkce?: typeof insecureUnadvertisedPkce
}

/** Sends users to the authorization server and receives the redirect. */
export interface RedirectReceiver {
  readonly redirectUri: string
  /** Signs the user in, and resolves to the tokens. @throws AuthError `timed_out` and others; the reason of the signal. */
  signIn(attempt: SignInAttempt, context: GrantContext): Promise<TokenSet>
  close(): void
}

/** An attempt to sign in, with the client if it was registered dynamically. */
export interface SignInAttempt extends AuthorizationAttempt {
  readonly dynamicClient: ClientIdentity | undefined
}

export interface CodeGrantOptions {
  readonly name: string
  readonly options: SignInOptions
  readonly applicationType: RegistrationRequest['applicationType']
  /** How long a user can take to return, in milliseconds. After that, a registration with which nobody has returned is replaced. */
  readonly signInTtlMs: number
  /** Prepares to receive the redirect, at one of the registered redirect URIs if possible. */
  readonly openReceiver: (registered: readonly string[]) => Promise<RedirectReceiver>
}

/** A grant whose sign-ins another process can finish. */
export interface CodeGrant extends GrantType {
  readonly registrar: ClientRegistrar
}

const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** Creates the authorization code grant: a user signs in and returns with a code, which is exchanged for tokens. */
export function createCodeGrant({ name, options, applicationType, signInTtlMs, openReceiver }: CodeGrantOptions): CodeGrant {
  const registrar = createClientRegistrar(options, name)
  return {
    name: `${name} ${options.client?.clientId ?? options.clientMetadataUrl ?? ''}`,
    registrar,
    offlineAccess: true,
    chooseIssuer: registrar.chooseIssuer,
    client: async (_context, tokens) => registrar.issuedTo(tokens),
    forget: registrar.forget,
    async obtain(context) {
      const stored = options.client ? undefined : await registrar.load(context)
      const receiver = await openReceiver(stored?.redirectUris ?? [])
      const { redirectUri } = receiver
      const request = { redirectUris: [redirectUri], grantTypes: GRANT_TYPES, applicationType, signInTtlMs }
      try {
        return await signInWithClient(registrar, { context, request }, async ({ client, isDynamic }) => {
          const attempt = await createAuthorizationAttempt(context, { client, redirectUri, pkce: options.pkce })
          if (isDynamic) await registrar.recordSignIn(context, client, 'started')
          const redeem: SignInAttempt['redeem'] = async (response) => {
            if (isDynamic) await registrar.recordSignIn(context, client, 'returned')
            return attempt.redeem(response)
          }
          return receiver.signIn({ ...attempt, redeem, dynamicClient: isDynamic ? client : undefined }, context)
        })
      } finally {
        receiver.close()
      }
    },
  }
}
