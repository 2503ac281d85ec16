import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../../../test/support/free-port.mjs'
import { browser } from '../../../auth-client.ts'
import { protect } from '../../../auth-server.ts'
import { connect } from '../../../client.ts'
import { serve } from '../../../node.ts'
import { login, notes } from '../site.test-kit.ts'
import { createBrowser, sealedOf } from './proxy.test-kit.ts'
import { oauthProxy } from './proxy.ts'

/** A proxy that listens, before an identity provider where nobody can register. */
async function site() {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const resource = `${origin}/mcp`
  const redirect_uris = [`${origin}/authorize/callback`]
  const idp = await login({ registration: false, clients: [{ client_id: 'portcall', client_secret: 's', redirect_uris }] })
  const { issuer } = idp
  const proxy = oauthProxy({
    resource,
    upstream: {
      issuer,
      authorizationEndpoint: `${issuer}/authorize`,
      tokenEndpoint: `${issuer}/token`,
      clientId: 'portcall',
      clientSecret: 's',
    },
    scopes: ['notes:write'],
    identify: () => ({ subject: 'ann' }),
  })
  const { close } = await serve(notes(), { port, signals: false, drainMs: 0, ...protect({ resource, verify: proxy }) })
  onTestFinished(close)
  return { origin, resource }
}

/** A user at a browser who says yes to everything. */
function createUser(origin: string): (url: URL) => Promise<void> {
  const window = createBrowser((path, init) => fetch(new URL(path, origin), { redirect: 'manual', ...init }))
  const follow = async (location: string): Promise<void> => {
    const url = new URL(location)
    if (url.origin !== origin) {
      const response = await fetch(url, { redirect: 'manual' })
      const next = response.headers.get('location')
      return next === null ? undefined : follow(next)
    }
    const response = await window.get(url.pathname + url.search)
    return follow(response.headers.get('location') ?? '')
  }
  return async (url) => {
    const page = await window.get(url.pathname + url.search)
    const form = { request: await sealedOf(page), decision: 'allow' }
    const allowed = await window.post('/authorize', form, { origin })
    await follow(allowed.headers.get('location') ?? '')
  }
}

test.each(['2026-07-28', '2025-11-25', '2025-03-26'])(
  'our own client signs in through a proxy, and calls in %s',
  async (revision) => {
    const { origin, resource } = await site()
    const client = await connect(resource, { revision, auth: browser({ open: createUser(origin), timeoutMs: 5000 }) })
    onTestFinished(() => client.close())
    const { content } = await client.callTool('whoami')
    expect(content).toMatchObject([{ text: expect.stringContaining(`"principal":"${origin}#ann"`) }])
    expect((await client.callTool('write')).content).toMatchObject([{ text: 'written' }])
  },
)
