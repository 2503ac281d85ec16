/** A misbehaving authorization server. */
import { authorizationServer } from 'portcall/testing'

// #region faults
/** Signs in with an authorization server whose responses name another issuer. */
export async function testMixUp(): Promise<string | null> {
  const login = await authorizationServer({ clients: [{ client_id: 'app', redirect_uris: ['https://app.example/back'] }] })
  login.setFaults({ redirect: { iss: 'https://evil.example' }, responses: { token: { delayMs: 1000 } } })
  const url = new URL(`${login.issuer}/authorize`)
  url.search =
    'client_id=app&redirect_uri=https://app.example/back&response_type=code&code_challenge=x&code_challenge_method=S256'
  const response = await fetch(url, { redirect: 'manual' })
  await login.close()
  return new URL(response.headers.get('location') ?? '').searchParams.get('iss')
}
// #endregion
