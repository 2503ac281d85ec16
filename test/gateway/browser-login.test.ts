/** A link to connect an account is only for the user who got it: browsers log in at the authorization server of the gateway. */
import { generateKey } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { type Client, connect } from 'portcall/client'
import { type BrowserLoginOptions, browserLogin, createGateway, userAccounts } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'
import { authorizationServer, type TestAuthorizationServer } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import { startPrintingProgram } from '../support/printing-program.ts'
import { createBrowser, findPort, type ProtectedUpstream, startProtectedUpstream } from './support/protected-upstream.ts'

interface Started {
  readonly url: string
  readonly company: TestAuthorizationServer
  /** Sets who sits at the browser that logs in next. */
  sit(user: string): void
  connectAs(user: string, links: string[]): Promise<Client>
}

/** Starts gateways that share a store, behind one origin. The first serves the pages. */
async function startGateways(
  upstream: ProtectedUpstream,
  { processes = 1, login = {} }: { processes?: number; login?: Partial<BrowserLoginOptions> } = {},
): Promise<Started> {
  let subject = ''
  const company = await authorizationServer({ decide: () => (subject === '' ? { error: 'access_denied' } : { subject }) })
  const { issuer } = company
  const ports = await Promise.all(Array.from({ length: processes }, findPort))
  const origin = `http://127.0.0.1:${ports[0]}`
  const resource = `${origin}/mcp`
  const shared = { store: memoryStores().store, sealingKeys: [generateKey()] }
  for (const port of ports) {
    const protection = protect({
      resource,
      authorizationServers: [issuer],
      verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
    })
    const identify = browserLogin({ origin, issuer, resource, authenticate: protection.authenticate, ...shared, ...login })
    const accounts = userAccounts({ origin, servers: { notes: {} }, identify, ...shared })
    const gateway = createGateway({
      servers: { notes: { target: upstream.url, credentials: accounts.credentials } },
      middleware: [accounts.middleware],
    })
    const { close } = await serve(gateway, {
      ...protection,
      port,
      handleProcessSignals: false,
      drainTimeoutMs: 0,
      allowedHosts: ['127.0.0.1'],
      onRequest: (request) => accounts.onRequest(request) ?? protection.onRequest(request),
    })
    onTestFinished(async () => {
      await close()
      await gateway.close()
    })
  }
  onTestFinished(() => company.close())
  return {
    url: resource,
    company,
    sit: (user) => (subject = user),
    async connectAs(user, links) {
      const token = await company.issue({ subject: user, resources: [resource] })
      const client = await connect(`http://127.0.0.1:${ports.at(-1)}/mcp`, {
        headers: { authorization: `Bearer ${token}` },
        elicitUrl: ({ url }) => {
          links.push(url)
          return 'decline'
        },
      })
      onTestFinished(() => client.close())
      return client
    },
  }
}

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? ''

/** Gets the link that a call of this user is answered with. */
async function linkFor(client: Client, links: string[]): Promise<string> {
  await client.callTool('notes__whoami', {})
  return links.at(-1) ?? ''
}

test('the user logs in once, connects an account, and calls use it', async () => {
  const upstream = await startProtectedUpstream({ decide: () => ({ subject: 'ada-at-notes' }) })
  const { sit, connectAs, company } = await startGateways(upstream, { processes: 2 })
  const links: string[] = []
  const client = await connectAs('ada', links)
  sit('ada')
  const page = await createBrowser().connect(await linkFor(client, links))
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('is connected') })
  expect(textOf(await client.callTool('notes__whoami', {}))).toBe('ada-at-notes')
  const [authorization, ...others] = company.requestsTo('authorize')
  expect(others).toEqual([])
  expect(authorization?.parameters.get('code_challenge_method')).toBe('S256')
  expect(company.requestsTo('register')).toHaveLength(1)
})

test.skipIf(process.platform === 'win32')(
  'workers without a store share logins and accounts: each step is answered by another one, and all call with the account',
  { timeout: 60_000 },
  async () => {
    const upstream = await startProtectedUpstream({ decide: () => ({ subject: 'ada-at-notes' }) })
    const company = await authorizationServer({ decide: () => ({ subject: 'ada' }) })
    const port = await findPort()
    onTestFinished(() => company.close())
    const env = { PORT: String(port), ISSUER: company.issuer, UPSTREAM: upstream.url }
    const printed = await startPrintingProgram(new URL('support/login-workers.mjs', import.meta.url), env)
    const resource = `http://127.0.0.1:${port}/mcp`
    const token = await company.issue({ subject: 'ada', resources: [resource] })
    const links: string[] = []
    const client = await connect(resource, {
      headers: { authorization: `Bearer ${token}` },
      elicitUrl: ({ url }) => {
        links.push(url)
        return 'decline'
      },
    })
    onTestFinished(() => client.close())
    const page = await createBrowser().connect(await linkFor(client, links))
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('is connected') })
    // Calls at the same time use several connections.
    const results = await Promise.all(Array.from({ length: 8 }, () => client.callTool('notes__whoami', {})))
    expect(new Set(results.map(textOf))).toEqual(new Set(['ada-at-notes']))
    const steps = [...printed().matchAll(/^(?:GET|POST) \/connect\/(\S+) (\d)$/gm)]
    const [link = '', ...others] = steps.map(([, path]) => path)
    expect(others).toEqual(['login', link, link, 'callback'])
    const workers = steps.map(([, , worker]) => worker)
    expect(workers).toEqual([workers[0], workers[1], workers[0], workers[1], workers[0]])
    expect(workers[1]).not.toBe(workers[0])
    expect(company.requestsTo('register')).toHaveLength(1)
  },
)

test('nobody can connect an account to another user', async () => {
  const upstream = await startProtectedUpstream({ decide: () => ({ subject: 'an-account-at-notes' }) })
  const { sit, connectAs } = await startGateways(upstream)
  const [adaLinks, eveLinks]: [string[], string[]] = [[], []]
  const [ada, eve] = [await connectAs('ada', adaLinks), await connectAs('eve', eveLinks)]

  // Eve sends her link to Ada, in order to use the account of whoever signs in.
  sit('ada')
  const lured = createBrowser()
  expect(await lured.connect(await linkFor(eve, eveLinks))).toMatchObject({
    status: 403,
    text: expect.stringContaining('belongs to somebody else'),
  })
  // Eve has got hold of the link of Ada.
  const adaLink = await linkFor(ada, adaLinks)
  sit('eve')
  const attacker = createBrowser()
  expect(await attacker.connect(adaLink)).toMatchObject({ status: 403 })
  expect((await attacker.fetchPage(adaLink, { method: 'POST' })).status).toBe(403)
  expect(textOf(await eve.callTool('notes__whoami', {}))).not.toContain('an-account')
  expect(textOf(await ada.callTool('notes__whoami', {}))).not.toContain('an-account')
  expect(upstream.login.requestsTo('authorize')).toEqual([])

  // The link of Ada still works for Ada, whose browser is logged in.
  expect(await lured.connect(adaLink)).toMatchObject({ status: 200, text: expect.stringContaining('is connected') })
  expect(textOf(await ada.callTool('notes__whoami', {}))).toBe('an-account-at-notes')
  expect(textOf(await eve.callTool('notes__whoami', {}))).not.toContain('an-account')
})

test('the login of one browser cannot be finished in another, and cookies cannot be made up', async () => {
  const { sit, connectAs } = await startGateways(await startProtectedUpstream())
  const links: string[] = []
  const link = await linkFor(await connectAs('eve', links), links)
  // Eve begins the login and gives the response to Ada, whose browser would then be logged in as Eve.
  sit('eve')
  const eve = createBrowser()
  const begun = await eve.fetchPage(link)
  const response = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' })
  const callback = response.headers.get('location') ?? ''
  expect(callback).toContain('/connect/login?')
  const ada = createBrowser()
  expect((await ada.fetchPage(callback)).status).toBe(400)
  sit('ada')
  expect((await ada.connect(link)).status).toBe(403)
  expect(await (await eve.follow(await eve.fetchPage(callback))).text()).toContain('Connect notes')
  // The response was used.
  expect((await eve.fetchPage(callback)).status).toBe(400)
  const forged = await fetch(link, { redirect: 'manual', headers: { cookie: 'portcall-user=eve' } })
  expect(forged.headers.get('location')).toContain('/authorize?')
})

test('S4 S5 the reason why a login is not accepted goes to the log, and the page does not advise to try again', async () => {
  const failures: unknown[] = []
  const refused = async (): Promise<never> => {
    throw new Error('The token lacks the scope read')
  }
  const login = { authenticate: refused, onFailure: (error: unknown) => failures.push(error), scopes: ['read'] }
  const { sit, connectAs, company } = await startGateways(await startProtectedUpstream(), { login })
  const links: string[] = []
  const link = await linkFor(await connectAs('ada', links), links)
  sit('ada')
  const browser = createBrowser()
  const page = await browser.follow(await browser.fetchPage(link))
  expect([page.status, await page.text()]).toEqual([400, expect.stringMatching(/operator finds the reason in the log/)])
  expect(failures).toEqual([expect.objectContaining({ message: 'The token lacks the scope read' })])
  expect(company.requestsTo('authorize')[0]?.parameters.get('scope')).toBe('read')
  expect(company.requestsTo('register')[0]?.body).toMatchObject({ scope: 'read' })
})

test('S4 a login whose token names only the client identifies nobody', async () => {
  const authenticate = async () => ({ principal: 'client of everybody', clientId: 'app' })
  const { sit, connectAs } = await startGateways(await startProtectedUpstream(), { login: { authenticate } })
  const links: string[] = []
  const link = await linkFor(await connectAs('ada', links), links)
  sit('ada')
  const browser = createBrowser()
  expect(await (await browser.follow(await browser.fetchPage(link))).text()).toContain('The user is unknown here')
})

test('F2 a login with a client that the authorization server has forgotten works when it is begun again', async () => {
  const { sit, connectAs, company } = await startGateways(await startProtectedUpstream())
  const links: string[] = []
  const link = await linkFor(await connectAs('ada', links), links)
  sit('ada')
  company.setFaults({ responses: { token: { status: 401, body: { error: 'invalid_client' } } } })
  const browser = createBrowser()
  expect((await browser.follow(await browser.fetchPage(link))).status).toBe(400)
  company.setFaults({})
  expect(await (await browser.follow(await browser.fetchPage(link))).text()).toContain('Connect notes')
  expect(company.requestsTo('register')).toHaveLength(2)
})

test('a login expires, and one that is refused says why', async () => {
  const upstream = await startProtectedUpstream()
  const { sit, connectAs } = await startGateways(upstream, { login: { sessionTtlMs: 1 } })
  const links: string[] = []
  const link = await linkFor(await connectAs('ada', links), links)
  sit('ada')
  const browser = createBrowser()
  const begun = await browser.fetchPage(link)
  const login = await browser.fetchPage(begun.headers.get('location') ?? '')
  const returned = await browser.fetchPage(login.headers.get('location') ?? '')
  expect(returned.headers.get('location')).toBe(link)
  expect((await browser.fetchPage(link)).headers.get('location')).toContain('/authorize?')
  sit('')
  const failed = await browser.follow(await browser.fetchPage(link))
  expect(failed.status).toBe(400)
  expect(await failed.text()).toMatch(/The login failed.*access_denied/s)
})
