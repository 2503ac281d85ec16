import { type Attempt, beginAttempt, type insecureUnadvertisedPkce } from './authorize.ts'
import { AuthError } from './errors.ts'
import type { FlowOptions } from './flow.ts'
import { type ClientSources, createClients, type Registration } from './register.ts'
import type { Grant, GrantContext } from './types.ts'

/** What all providers have in common that send their user to an authorization server. */
export interface SignInOptions extends FlowOptions, ClientSources {
  /** Lifts the demand that the authorization server says that it supports PKCE. */
  readonly pkce?: typeof insecureUnadvertisedPkce
}

/** A place where users come back to. */
export interface Return {
  readonly redirectUri: string
  /** Sends the user off, and resolves to what came back. @throws AuthError `timed_out`; the reason of the signal. */
  visit(attempt: Attempt, context: GrantContext): Promise<URLSearchParams>
  close(): void
}

export interface CodeGrantOptions {
  readonly name: string
  readonly sources: SignInOptions
  readonly applicationType: Registration['applicationType']
  /** Makes ready to take users back; at one of the addresses that are registered already, where that can be. */
  readonly open: (registered: readonly string[]) => Promise<Return>
}

const GRANT_TYPES = ['authorization_code', 'refresh_token']

/** The authorization code grant: a user signs in, and comes back with a code that is changed for tokens. */
export function createCodeGrant({ name, sources, applicationType, open }: CodeGrantOptions): Grant {
  const clients = createClients(sources, name)
  return {
    name: `${name} ${sources.client?.clientId ?? sources.clientMetadataUrl ?? ''}`,
    offline: true,
    choose: clients.choose,
    client: async (_context, tokens) => clients.issuedTo(tokens),
    async obtain(context) {
      const known = sources.client ? undefined : await clients.remembered(context)
      const back = await open(known?.redirectUris ?? [])
      try {
        const wanted = { redirectUris: [back.redirectUri], grantTypes: GRANT_TYPES, applicationType }
        const { client, registered } = await clients.identify(context, wanted)
        const attempt = await beginAttempt(context, { client, redirectUri: back.redirectUri, pkce: sources.pkce })
        const tokens = await attempt.finish(await back.visit(attempt, context))
        return registered ? { ...tokens, client } : tokens
      } catch (error) {
        if (error instanceof AuthError && error.refusal?.error === 'invalid_client') await clients.forget(context)
        throw error
      } finally {
        back.close()
      }
    },
  }
}
