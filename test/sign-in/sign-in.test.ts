/** The same sign-ins at authorization servers of other makes. `SIGN_IN_SERVERS` names the ones to run. */
import { clientCredentials, type DeviceAuthorization, deviceCode } from 'portcall/auth/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser } from '../auth/support/browser.ts'
import { portcall, start, untilExit, untilOutput } from '../command/support/portcall.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { call, type Deployment, deploy, whoami } from './support/deployment.ts'
import { startGateway } from './support/gateway.ts'
import type { Ability, ForeignServer } from './support/server.ts'
import { answersOf, createAgingStore, createUser } from './support/user.ts'

const names = process.env.SIGN_IN_SERVERS?.split(' ').filter(Boolean) ?? []
const modules = await Promise.all(
  names.map((name) => import(`./servers/${name}/server.ts`) as Promise<{ server: ForeignServer }>),
)
const servers = modules.map(({ server }) => server)

describe.each(servers)('$title', (server) => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy(server)
  })
  afterAll(() => deployment?.close())

  /** Runs a test, or prints why the server cannot. */
  const testIf = (ability: Ability, name: string, run: () => Promise<void>): void => {
    const reason = server.lacks[ability]
    if (reason === undefined) return test(name, run)
    test.skip(`${name}: ${reason}`, run)
  }

  testIf('registration', 'a client registers itself, and a user signs in', async () => {
    const user = createUser('ada', { store: createAgingStore() })
    expect(await whoami(deployment, user.signIn())).toMatchObject({ scopes: expect.arrayContaining(['notes:read']) })
    const [request] = user.requests
    expect(request?.searchParams.get('code_challenge_method')).toBe('S256')
    expect(user.requests).toHaveLength(1)
  })

  testIf('registered client', 'a user signs in to a client that was registered by hand', async () => {
    const { redirectUri, ...client } = present(deployment.clients.app)
    const user = createUser('ada', { store: createAgingStore() })
    const options = { client: { ...client, issuer: deployment.issuer }, ...(redirectUri !== undefined && { redirectUri }) }
    expect(await whoami(deployment, user.signIn(options))).toMatchObject({ clientId: client.clientId })
  })

  test('two users of one client are two principals', async () => {
    const store = createAgingStore()
    const ada = createUser('ada', { store })
    const bob = createUser('bob', { store })
    const seen = [await whoami(deployment, ada.signIn()), await whoami(deployment, bob.signIn())]
    expect(seen[0]?.clientId).toBe(seen[1]?.clientId)
    expect(seen[0]?.principal).not.toBe(seen[1]?.principal)
    expect(await whoami(deployment, ada.signIn())).toEqual(seen[0])
    expect([ada.requests.length, bob.requests.length]).toEqual([1, 1])
  })

  testIf('step-up', 'a call that needs a further scope asks the user for it, and continues', async () => {
    const store = createAgingStore()
    const user = createUser('ada', { store })
    const { scopes } = await whoami(deployment, user.signIn({ scopes: ['notes:read'] }))
    expect(scopes).not.toContain('notes:write')
    await deployment.requireAllScopes?.(true)
    expect(await call(deployment, 'write', user.signIn())).toBe('written')
    await deployment.requireAllScopes?.(false)
    expect((await whoami(deployment, user.signIn())).scopes).toEqual(expect.arrayContaining(['notes:read', 'notes:write']))
    expect(user.requests).toHaveLength(2)
  })

  test('an expired token is refreshed, again and again', async () => {
    const store = createAgingStore()
    const user = createUser('ada', { store })
    const before = await whoami(deployment, user.signIn())
    for (const _ of [1, 2, 3]) {
      await store.expireTokens()
      expect(await whoami(deployment, user.signIn())).toEqual(before)
    }
    expect(user.requests).toHaveLength(1)
  })

  testIf('rejected token', 'a token that the server no longer accepts is refreshed', async () => {
    const user = createUser('ada', { store: createAgingStore() })
    const before = await whoami(deployment, user.signIn())
    await deployment.revokeAccessTokens?.()
    expect(await whoami(deployment, user.signIn())).toEqual(before)
    expect(user.requests).toHaveLength(1)
  })

  test('a user whose tokens were revoked signs in again', async () => {
    const store = createAgingStore()
    const user = createUser('ada', { store })
    const before = await whoami(deployment, user.signIn())
    await deployment.revokeTokens()
    await store.expireTokens()
    expect(await whoami(deployment, user.signIn())).toEqual(before)
    expect(user.requests).toHaveLength(2)
    await store.expireTokens()
    expect(await whoami(deployment, user.signIn())).toEqual(before)
    expect(user.requests).toHaveLength(2)
  })

  testIf('forgotten client', 'a client that the server has forgotten registers again', async () => {
    const store = createAgingStore()
    const user = createUser('ada', { store, isSilent: true })
    const before = await whoami(deployment, user.signIn())
    await deployment.forgetClients()
    await store.expireTokens()
    const after = await recover(() => whoami(deployment, user.signIn({ timeoutMs: 5000 })))
    expect(after.principal).toBe(before.principal)
    await store.expireTokens()
    expect(await whoami(deployment, user.signIn())).toEqual(after)
  })

  testIf('forgotten client', 'a server that has lost clients and tokens gets both again', async () => {
    const store = createAgingStore()
    const user = createUser('ada', { store, isSilent: true })
    const before = await whoami(deployment, user.signIn())
    await deployment.revokeTokens()
    await deployment.forgetClients()
    await store.expireTokens()
    const after = await recover(() => whoami(deployment, user.signIn({ timeoutMs: 5000 })))
    expect(after.principal).toBe(before.principal)
  })

  testIf('dpop', 'tokens are bound to a key, also after a refresh', async () => {
    const store = createAgingStore()
    const user = createUser('ada', { store })
    const dpop = { persist: true } as const
    const before = await whoami(deployment, user.signIn({ dpop }))
    await store.expireTokens()
    expect(await whoami(deployment, user.signIn({ dpop }))).toEqual(before)
    expect(user.requests).toHaveLength(1)
  })

  testIf('client credentials', 'a program signs in without a user, and steps up', async () => {
    const { issuer, clients } = deployment
    const auth = clientCredentials({ client: { ...present(clients.program), issuer } })
    expect(await whoami(deployment, auth)).toMatchObject({ clientId: clients.program?.clientId })
    if (server.lacks['step-up'] === undefined) expect(await call(deployment, 'write', auth)).toBe('written')
  })

  testIf('device code', 'a user signs in on another device', async () => {
    const { issuer, clients } = deployment
    const prompt = async ({ verificationUri, verificationUriComplete, userCode }: DeviceAuthorization): Promise<void> => {
      const browser = createBrowser({ answers: { ...answersOf('ada'), user_code: userCode } })
      const page = await browser.open((verificationUriComplete ?? verificationUri).href)
      expect(page).toMatchObject({ status: 200 })
    }
    const store = createAgingStore()
    const auth = () => deviceCode({ prompt, store, ...(clients.device && { client: { ...clients.device, issuer } }) })
    const before = await whoami(deployment, auth())
    await store.expireTokens()
    expect(await whoami(deployment, auth())).toEqual(before)
  })

  testIf('registration', 'the command signs in, calls, and signs out', async () => {
    const { url } = deployment
    const env = { PORTCALL_HOME: temporaryFolder() }
    const user = createUser('ada', { store: createAgingStore() })
    const child = start(['login', url, '--no-browser'], { env })
    const end = untilExit(child)
    const [, page = ''] = await untilOutput(child.stderr, /Sign in at (\S+)\n/)
    await user.open(new URL(page))
    expect(await end).toMatchObject({ code: 0, err: expect.stringContaining(`signed in to ${url}`) })
    const { code, out } = await portcall(['call', url, 'whoami'], { env })
    expect({ code, caller: JSON.parse(out) }).toMatchObject({ code: 0, caller: { principal: expect.any(String) } })
    expect(await portcall(['logout', url], { env })).toMatchObject({ code: 0 })
    expect(await portcall(['call', url, 'whoami'], { env })).toMatchObject({ code: 6 })
  })

  testIf('registration', 'users of a gateway connect their own accounts', async () => {
    const gateway = await startGateway(deployment.url)
    const ada = await gateway.whoami('ada')
    const bob = await gateway.whoami('bob')
    expect(ada.principal).not.toBe(bob.principal)
    expect(await gateway.whoami('ada')).toEqual(ada)
    expect(gateway.links).toHaveLength(2)
  })
})

/** The first attempt may show the user an error page, which no client can see. The second must succeed. */
async function recover<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    expect(error).toMatchObject({ reason: 'timed_out' })
    return attempt()
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The table of abilities promises a client that is missing')
  return value
}
