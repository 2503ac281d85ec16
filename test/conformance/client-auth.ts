/** How the client of the conformance suite signs in: with the providers that anybody has, and a browser that is two requests. */
import { type AuthProvider, type BrowserOptions, browser } from 'portcall/auth/client'
import { type GrantContext, silentAuthOf } from './client-grants.ts'

/** What scenarios tell about their clients. */
export interface AuthContext extends GrantContext {
  readonly issuer?: string
}

const METADATA_URL = 'https://conformance-test.local/client-metadata.json'

/** Follows the page of the authorization server, which asks nobody anything, to where it sends the user back. */
async function headless(url: URL): Promise<void> {
  const page = await fetch(url, { redirect: 'manual' })
  const location = page.headers.get('location')
  if (location !== null) await fetch(location)
}

/** The provider that a scenario is for. */
export function authOf(scenario: string, context: AuthContext): AuthProvider {
  const { client_id: clientId, client_secret: clientSecret, issuer } = context
  const client =
    clientId === undefined ? undefined : { clientId, ...(clientSecret && { clientSecret }), ...(issuer && { issuer }) }
  const dpop = scenario.startsWith('auth/dpop')
  const options: BrowserOptions = { open: headless, clientMetadataUrl: METADATA_URL, timeoutMs: 10_000, dpop }
  return silentAuthOf(scenario, context) ?? browser(client ? { ...options, client } : options)
}
