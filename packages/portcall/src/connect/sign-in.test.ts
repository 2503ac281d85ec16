import { describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../test/support/free-port.mjs'
import { headlessBrowser, startAuthorizationServer } from '../../test-kit/auth/scripted-protected-server.ts'
import { eventually } from '../../test-kit/eventually.ts'
import { onTestEnd } from '../../test-kit/scripted-server.ts'
import { browserSignIn } from '../auth/client/grants/browser-sign-in.ts'
import { protect } from '../auth/server/protect.ts'
import { jwt } from '../auth/server/verifiers/jwt.ts'
import { REVISIONS } from '../protocol/revisions.ts'
import { serve } from '../serve/node.ts'
import { createServer } from '../server/server.ts'
import { connect } from './connect.ts'
import { forgetEra } from './era-cache.ts'
import type { ConnectOptions } from './options.ts'

/** Starts a protected server and its authorization server. */
async function startProtectedServer() {
  const login = await startAuthorizationServer()
  const url = `http://127.0.0.1:${await freePort()}/mcp`
  const server = createServer({ name: 'test', version: '1.0.0' })
  server.tool('read', {}, (_args, call) => String(call.auth?.scopes?.join(' ')))
  server.tool('write', { scopes: ['notes:write'] }, (_args, call) => String(call.auth?.scopes?.join(' ')))
  const verify = jwt({ issuer: login.issuer, jwksUri: `${login.issuer}/jwks` })
  const protection = protect({ resource: url, authorizationServers: [login.issuer], verify, scopes: ['notes:read'] })
  const listening = await serve(server, { port: Number(new URL(url).port), handleProcessSignals: false, ...protection })
  onTestEnd(listening.close)
  return { url, login, connect: (options: ConnectOptions) => openClient(url, options) }
}

async function openClient(url: string, options: ConnectOptions) {
  const client = await connect(url, options)
  onTestEnd(client.close)
  return client
}

const textOf = ({ content }: { content: unknown }) => (content as { text: string }[])[0]?.text
const signInAfter = (ms: number) => async (url: URL) => {
  await new Promise((resolve) => setTimeout(resolve, ms))
  await headlessBrowser(url)
}
const SHORT_TIMEOUTS = {
  probeTimeoutMs: 2500,
  connectTimeoutMs: 2500,
  timeouts: { requestTimeoutMs: 2500, totalTimeoutMs: 2500 },
}

describe.each(REVISIONS.filter(({ http }) => http.transport === 'Streamable HTTP').map(({ version }) => version))(
  'in %s',
  (protocolVersion) => {
    test('signing in may exceed the request timeout, and happens again for additional scopes', async () => {
      const fixture = await startProtectedServer()
      const client = await fixture.connect({
        ...SHORT_TIMEOUTS,
        protocolVersion,
        auth: browserSignIn({ open: signInAfter(3000) }),
      })
      expect(textOf(await client.callTool('read'))).toBe('notes:read')
      expect(textOf(await client.callTool('write'))).toBe('notes:read notes:write')
      expect(fixture.login.requestsTo('authorize').length).toBe(2)
    })
  },
)

test('a user who declines is not asked again in another era', async () => {
  const fixture = await startProtectedServer()
  fixture.login.setFaults({ redirect: { code: undefined, error: 'access_denied' } })
  const show = vi.fn(headlessBrowser)
  for (let attempt = 1; attempt <= 2; attempt++) {
    await expect(fixture.connect({ auth: browserSignIn({ open: show }) })).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      reason: 'denied',
    })
    expect(show).toHaveBeenCalledTimes(attempt)
  }
  fixture.login.setFaults({})
  await fixture.connect({ auth: browserSignIn({ open: show }) })
  fixture.login.setFaults({ redirect: { code: undefined, error: 'access_denied' } })
  await expect(fixture.connect({ auth: browserSignIn({ open: show }) })).rejects.toMatchObject({ reason: 'denied' })
  expect(show).toHaveBeenCalledTimes(4)
  forgetEra(new URL(fixture.url).origin + new URL(fixture.url).pathname)
})

test('aborting the connection ends the sign-in', async () => {
  const fixture = await startProtectedServer()
  const controller = new AbortController()
  let listener = ''
  const show = (url: URL): void => {
    listener = url.searchParams.get('redirect_uri') ?? ''
    controller.abort(new Error('enough'))
  }
  await expect(connect(fixture.url, { auth: browserSignIn({ open: show }), signal: controller.signal })).rejects.toThrow('enough')
  await eventually(() => expect(fetch(listener)).rejects.toThrow())
})

test('tokens are not sent over plain HTTP', async () => {
  const auth = browserSignIn({ open: () => {} })
  const fetch = Object.assign(
    () => ({ response: Promise.resolve({ status: 401, header: () => undefined, body: (async function* () {})() }), cancel() {} }),
    { close() {} },
  )
  await expect(connect('http://notes.example.com/mcp', { auth, fetch })).rejects.toMatchObject({ reason: 'address_refused' })
})
