import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../../test/support/free-port.mjs'
import { createNotesServer, startIssuer } from '../../../test-kit/auth/protected-server.ts'
import { createBrowser, sealedRequestOf } from '../../../test-kit/auth/proxy.ts'
import { connect } from '../../connect/connect.ts'
import { serve } from '../../serve/node.ts'
import { browserSignIn } from '../client/grants/browser-sign-in.ts'
import { protect } from '../server/protect.ts'
import { oauthProxy } from './proxy.ts'

/** Starts a proxy in handler of an identity provider without dynamic registration. */
async function startProxy() {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const resource = `${origin}/mcp`
  const redirect_uris = [`${origin}/authorize/callback`]
  const idp = await startIssuer({
    dynamicRegistration: false,
    clients: [{ client_id: 'portcall', client_secret: 's', redirect_uris }],
  })
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
  const { close } = await serve(createNotesServer(), {
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
    ...protect({ resource, verify: proxy }),
  })
  onTestFinished(close)
  return { origin, resource }
}

/** Simulates a user who consents to everything in a browser. */
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
    const form = { request: await sealedRequestOf(page), decision: 'allow' }
    const allowed = await window.post('/authorize', form, { origin })
    await follow(allowed.headers.get('location') ?? '')
  }
}

test.each(['2026-07-28', '2025-11-25', '2025-03-26'])(
  'our own client signs in through a proxy and calls tools in %s',
  async (protocolVersion) => {
    const { origin, resource } = await startProxy()
    const client = await connect(resource, {
      protocolVersion,
      auth: browserSignIn({ open: createUser(origin), timeoutMs: 5000 }),
    })
    onTestFinished(() => client.close())
    const { content } = await client.callTool('whoami')
    expect(content).toMatchObject([{ text: expect.stringContaining(`"principal":"${origin}#ann"`) }])
    expect((await client.callTool('write')).content).toMatchObject([{ text: 'written' }])
  },
)
