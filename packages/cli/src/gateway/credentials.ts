import type { AuthProvider } from 'portcall/auth/client'
import type { CredentialsProvider } from 'portcall/gateway'
import { storedProvider } from '../login/stored-login.ts'

/** Creates a provider of the tokens of `portcall login`. Servers keep their connections as long as they have the same provider. */
export function createStoredCredentials(): CredentialsProvider {
  const providers = new Map<string, Promise<AuthProvider | undefined>>()
  return async ({ url }) => {
    if (!url) return undefined
    const auth = await (providers.get(url.href) ?? remember(providers, url))
    return auth && { auth }
  }
}

async function remember(providers: Map<string, Promise<AuthProvider | undefined>>, url: URL): Promise<AuthProvider | undefined> {
  const provider = storedProvider(url)
  providers.set(url.href, provider)
  // Without a login, look again for the next connection.
  if (!(await provider.catch(() => undefined))) providers.delete(url.href)
  return provider
}
