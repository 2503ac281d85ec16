/** A server that is its own authorization server for its clients, and whose users sign in at a provider where no client can register. */
import { browser } from 'portcall/auth/client'
import { oauthProxy, type UpstreamTokens } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { expect, onTestFinished, test } from 'vitest'
import { createBrowser } from './support/browser.ts'
import { findPlace, SCOPES, serveNotes } from './support/notes.ts'
import { whoami } from './support/place.ts'
import { startProvider, USER } from './support/provider.ts'
import { passTime } from './support/time.ts'

/** Who has signed in, as the provider says. */
function identify({ idToken = '' }: UpstreamTokens): { subject: string } {
  const [, claims = ''] = idToken.split('.')
  return { subject: JSON.parse(Buffer.from(claims, 'base64url').toString()).sub }
}

test.each(['2026-07-28', '2025-11-25', '2025-03-26'])(
  'a user of a client of %s signs in through it, and stays signed in',
  async (revision) => {
    const { url: resource, port } = await findPlace()
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
    const verify = oauthProxy({ resource, upstream, identify, scopes: SCOPES, accessMs: 60_000 })
    const serving = await serveNotes(port, { verify })
    const window = createBrowser()
    const opened: URL[] = []
    const open = async (url: URL): Promise<void> => {
      opened.push(url)
      await window.open(url.href)
    }
    const client = await connect(resource, { auth: browser({ open, timeoutMs: 5000 }), revision })
    onTestFinished(async () => {
      await client.close()
      await serving.close()
      await provider.close()
    })

    expect(await whoami(client as never)).toMatchObject({ subject: USER })
    expect(opened[0]?.origin).toBe(origin)
    expect(provider.grants).toEqual(['authorization_code'])
    passTime(61_000)
    await Promise.all(Array.from({ length: 10 }, () => whoami(client as never)))
    expect(opened).toHaveLength(1)
  },
)
