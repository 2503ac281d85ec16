/** A server with an OAuth proxy in front of a provider without dynamic registration. */
import { browserSignIn } from 'portcall/auth/client'
import { oauthProxy, type UpstreamTokens } from 'portcall/auth/proxy'
import { connect } from 'portcall/client'
import { expect, onTestFinished, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { reserveUrl, SCOPES, serveNotes } from './support/notes.ts'
import { startProvider, USER } from './support/provider.ts'
import { whoami } from './support/test-server.ts'
import { advanceClock } from './support/time.ts'

/** Returns the user of the provider's ID token. */
function identify({ idToken = '' }: UpstreamTokens): { subject: string } {
  const [, claims = ''] = idToken.split('.')
  return { subject: JSON.parse(Buffer.from(claims, 'base64url').toString()).sub }
}

test.each(['2026-07-28', '2025-11-25', '2025-03-26'])(
  'a user signs in through the proxy with a client of %s, and stays signed in',
  async (protocolVersion) => {
    const { url: resource, port } = await reserveUrl()
    const { origin } = new URL(resource)
    const known = {
      client_id: 'notes',
      client_secret: 's3cret',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`${origin}/authorize/callback`],
    }
    const provider = await startProvider({ resource, scope: SCOPES.join(' '), clients: [known as never] })
    const upstream = {
      issuer: provider.issuer,
      authorizationEndpoint: `${provider.issuer}/auth`,
      tokenEndpoint: `${provider.issuer}/token`,
      clientId: known.client_id,
      clientSecret: known.client_secret,
      scopes: ['openid'],
    }
    const verify = oauthProxy({ resource, upstream, identify, scopes: SCOPES, accessTokenTtlMs: 60_000 })
    const serving = await serveNotes(port, { verify })
    const browser = createBrowser()
    const opened: URL[] = []
    const open = async (url: URL): Promise<void> => {
      opened.push(url)
      await browser.open(url.href)
    }
    const client = await connect(resource, { auth: browserSignIn({ open, timeoutMs: 5000 }), protocolVersion })
    onTestFinished(async () => {
      await client.close()
      await serving.close()
      await provider.close()
    })

    expect(await whoami(client as never)).toMatchObject({ subject: USER })
    expect(opened[0]?.origin).toBe(origin)
    expect(provider.grants).toEqual(['authorization_code'])
    advanceClock(61_000)
    await Promise.all(Array.from({ length: 10 }, () => whoami(client as never)))
    expect(opened).toHaveLength(1)
  },
)
