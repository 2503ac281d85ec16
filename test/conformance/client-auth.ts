/** Authorization of the conformance client: the public providers, with a simulated browser. */
import { type AuthProvider, type BrowserSignInOptions, browserSignIn } from 'portcall/auth/client'
import { type GrantContext, nonInteractiveAuthOf } from './client-grants.ts'

/** The credentials that a scenario provides. */
export interface AuthContext extends GrantContext {
  readonly issuer?: string
}

const METADATA_URL = 'https://conformance-test.local/client-metadata.json'

/** Simulates a browser: requests the authorization page, which redirects without interaction, and follows the redirect. */
async function simulateBrowser(url: URL): Promise<void> {
  const page = await fetch(url, { redirect: 'manual' })
  const location = page.headers.get('location')
  if (location !== null) await fetch(location)
}

/** Returns the provider that a scenario tests. */
export function authOf(scenario: string, context: AuthContext): AuthProvider {
  const { client_id: clientId, client_secret: clientSecret, issuer } = context
  const client =
    clientId === undefined ? undefined : { clientId, ...(clientSecret && { clientSecret }), ...(issuer && { issuer }) }
  const dpop = scenario.startsWith('auth/dpop')
  const options: BrowserSignInOptions = { open: simulateBrowser, clientMetadataUrl: METADATA_URL, timeoutMs: 10_000, dpop }
  return nonInteractiveAuthOf(scenario, context) ?? browserSignIn(client ? { ...options, client } : options)
}
