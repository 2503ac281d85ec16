/** Keys that a server gives out itself. */
import { apiKeys, createApiKey, type Verifier } from 'portcall/auth/server'

// #region keys
/** Gives a user a key. The key is shown once; its hash is all that rests. */
export async function keyFor(subject: string): Promise<{ key: string; verify: Verifier }> {
  const { key, hash } = await createApiKey()
  return { key, verify: apiKeys([{ hash, subject, scopes: ['notes:read'] }]) }
}
// #endregion
