import type { AuthProvider } from '../../auth-client.ts'

/** The provider for an endpoint that somebody has signed in to. */
export async function authFor(_url: URL): Promise<AuthProvider | undefined> {
  return undefined
}
