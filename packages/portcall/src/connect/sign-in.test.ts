import { describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../../test/support/free-port.mjs'
import { eventually } from '../../test-kit/eventually.ts'
import { cleanup } from '../../test-kit/peer.ts'
import { browser } from '../auth/client/browser.ts'
import { headless, startLogin } from '../auth/client/site.test-kit.ts'
import { jwt, protect } from '../auth-server.ts'
import { serve } from '../node.ts'
import { REVISIONS } from '../protocol/revisions.ts'
import { createServer } from '../server/server.ts'
import { type ConnectOptions, connect } from './connect.ts'
import { forgetEra } from './eras.ts'

/** A server that protects itself. */
async function open() {
  const login = await startLogin()
  const url = `http://127.0.0.1:${await freePort()}/mcp`
  const server = createServer({ name: 'test', version: '1.0.0' })
  server.tool('read', {}, (_args, call) => String(call.auth?.scopes?.join(' ')))
  server.tool('write', { scopes: ['notes:write'] }, (_args, call) => String(call.auth?.scopes?.join(' ')))
  const verify = jwt({ issuer: login.issuer, jwksUri: `${login.issuer}/jwks` })
  const protection = protect({ resource: url, authorizationServers: [login.issuer], verify, scopes: ['notes:read'] })
  const serving = await serve(server, { port: Number(new URL(url).port), signals: false, ...protection })
  cleanup(serving.close)
  return { url, login, connect: (options: ConnectOptions) => openClient(url, options) }
}

async function openClient(url: string, options: ConnectOptions) {
  const client = await connect(url, options)
  cleanup(client.close)
  return client
}

const textOf = ({ content }: { content: unknown }) => (content as { text: string }[])[0]?.text
const slowly = (ms: number) => async (url: URL) => {
  await new Promise((resolve) => setTimeout(resolve, ms))
  await headless(url)
}
const IMPATIENT = { probeMs: 2500, openMs: 2500, deadlines: { requestMs: 2500, totalMs: 2500 } }

describe.each(REVISIONS.filter(({ http }) => http.transport === 'Streamable HTTP').map(({ version }) => version))(
  'in %s',
  (revision) => {
    test('a user may take longer to sign in than a server to answer, and is asked once more for more scopes', async () => {
      const site = await open()
      const client = await site.connect({ ...IMPATIENT, revision, auth: browser({ open: slowly(3000) }) })
      expect(textOf(await client.callTool('read'))).toBe('notes:read')
      expect(textOf(await client.callTool('write'))).toBe('notes:read notes:write')
      expect(site.login.asked('authorize').length).toBe(2)
    })
  },
)

test('a user who says no is not asked again in another era', async () => {
  const site = await open()
  site.login.set({ redirect: { code: undefined, error: 'access_denied' } })
  const show = vi.fn(headless)
  for (let attempt = 1; attempt <= 2; attempt++) {
    await expect(site.connect({ auth: browser({ open: show }) })).rejects.toMatchObject({ code: 'AUTH_FAILED', fault: 'denied' })
    expect(show).toHaveBeenCalledTimes(attempt)
  }
  site.login.set({})
  await site.connect({ auth: browser({ open: show }) })
  site.login.set({ redirect: { code: undefined, error: 'access_denied' } })
  await expect(site.connect({ auth: browser({ open: show }) })).rejects.toMatchObject({ fault: 'denied' })
  expect(show).toHaveBeenCalledTimes(4)
  forgetEra(new URL(site.url).origin + new URL(site.url).pathname)
})

test('a client that is closed ends the sign-in', async () => {
  const site = await open()
  const controller = new AbortController()
  let listener = ''
  const show = (url: URL): void => {
    listener = url.searchParams.get('redirect_uri') ?? ''
    controller.abort(new Error('enough'))
  }
  await expect(connect(site.url, { auth: browser({ open: show }), signal: controller.signal })).rejects.toThrow('enough')
  await eventually(() => expect(fetch(listener)).rejects.toThrow())
})

test('tokens are not sent over an open network', async () => {
  const auth = browser({ open: () => {} })
  const fetch = Object.assign(
    () => ({ answer: Promise.resolve({ status: 401, header: () => undefined, body: (async function* () {})() }), cancel() {} }),
    { close() {} },
  )
  await expect(connect('http://notes.example.com/mcp', { auth, fetch })).rejects.toMatchObject({ fault: 'address_refused' })
})
