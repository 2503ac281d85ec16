import { AuthError } from '../errors.ts'
import { isClientRefusal } from '../oauth/oauth-response.ts'
import type { GrantContext, TokenSet } from '../types.ts'
import type { ClientRegistrar, ResolvedClient } from './client-registration.ts'
import type { RegistrationRequest } from './registration-request.ts'

/** A stored client, a new one, and one with another authentication method. */
const MAX_ATTEMPTS = 3
/** Errors of authorization servers about what a client is registered for. */
const REGISTRATION_ERRORS: ReadonlySet<string> = new Set(['invalid_scope', 'invalid_redirect_uri', 'redirect_uri_mismatch'])

/**
 * Runs a sign-in with the client for an authorization server. If the server refuses a stored registration, forgets it and runs the sign-in
 * again with a new one. If it refuses the authentication method of a new registration, does the same with the next method that it lists.
 *
 * @throws AuthError; whatever the sign-in throws.
 */
export async function signInWithClient(
  registrar: ClientRegistrar,
  { context, request }: { readonly context: GrantContext; readonly request: RegistrationRequest },
  signIn: (resolved: ResolvedClient) => Promise<TokenSet>,
): Promise<TokenSet> {
  const refusedMethods: string[] = []
  for (let attempt = 1, renew = false; ; attempt++, renew = true) {
    const resolved = await registrar.resolve(context, { ...request, renew, refusedMethods })
    try {
      const tokens = await signIn(resolved)
      return resolved.isDynamic ? { ...tokens, client: resolved.client } : tokens
    } catch (error) {
      const mayHelp = await handleRefusal(error, resolved, { registrar, context, refusedMethods })
      if (!mayHelp || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

interface RefusalContext {
  readonly registrar: ClientRegistrar
  readonly context: GrantContext
  /** Authentication methods that were refused. */
  readonly refusedMethods: string[]
}

/** Forgets a client that was refused. Returns whether another registration may help. */
async function handleRefusal(
  error: unknown,
  { client, isDynamic, isStored }: ResolvedClient,
  { registrar, context, refusedMethods }: RefusalContext,
): Promise<boolean> {
  const refusal = isDynamic && !context.signal.aborted ? refusalOf(error) : undefined
  if (!refusal) return false
  if (refusal === 'client' || isStored) await registrar.forget(context, client)
  if (isStored) return true
  refusedMethods.push(client.authentication ?? 'none')
  return refusal === 'client' && refusedMethods.length === 1 && registrar.hasOtherMethod(context, refusedMethods)
}

/** Returns what the authorization server refused: the client, or something that it is not registered for. */
export function refusalOf(error: unknown): 'client' | 'registration' | undefined {
  if (!(error instanceof AuthError)) return undefined
  if (isClientRefusal(error)) return 'client'
  return REGISTRATION_ERRORS.has(error.response?.error ?? '') ? 'registration' : undefined
}
