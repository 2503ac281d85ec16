/** API keys that a server issues itself. */
import { apiKeys, createApiKey, type Verifier } from 'portcall/auth/server'

// #region keys
/** Issues a key to a user. The key is shown once; only its hash is stored. */
export async function keyFor(subject: string): Promise<{ key: string; verify: Verifier }> {
  const { key, hash } = await createApiKey()
  return { key, verify: apiKeys([{ hash, subject, scopes: ['notes:read'] }]) }
}
// #endregion
