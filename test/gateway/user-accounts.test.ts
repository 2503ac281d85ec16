import { generateKey } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { type Client, connect, type InputHandlers } from 'portcall/client'
import { createGateway, type Gateway, type UserAccounts, userAccounts } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores, type Stores } from 'portcall/stores'
import { expect, onTestFinished, test } from 'vitest'
import { createBrowser, findPort, type ProtectedUpstream, startProtectedUpstream } from './support/protected-upstream.ts'

type Keys = { readonly [user: string]: { readonly key: string; readonly hash: string } }

interface Started {
  readonly url: string
  readonly origin: string
  readonly gateway: Gateway
  readonly accounts: UserAccounts
  readonly keys: Keys
}

interface StartOptions {
  readonly stores?: Stores
  readonly sealingKeys?: readonly string[]
  /** The origin of the pages, if another process serves them. */
  readonly origin?: string
  readonly keys?: Keys
  /** Announces the tools of a server when a user has signed in there. */
  readonly refreshes?: boolean
  readonly onError?: (error: unknown) => void
}

async function makeKeys(): Promise<Keys> {
  return { ada: await createApiKey(), eve: await createApiKey() }
}

async function startGateway(upstream: ProtectedUpstream, options: StartOptions = {}): Promise<Started> {
  const { stores = memoryStores(), sealingKeys = [generateKey()], keys = await makeKeys() } = options
  const port = await findPort()
  const url = `http://127.0.0.1:${port}/mcp`
  const origin = options.origin ?? `http://127.0.0.1:${port}`
  const accounts = userAccounts({
    origin,
    servers: { notes: {} },
    identify: (request) => request.header('x-test-user'),
    store: stores.store,
    sealingKeys,
    ...(options.refreshes && { onConnected: ({ server }) => gateway.refresh(server) }),
  })
  const gateway: Gateway = createGateway({
    servers: { notes: { target: upstream.url, credentials: accounts.credentials } },
    middleware: [accounts.middleware],
    stores,
    onEvent: options.onError ?? (() => {}),
  })
  const verify = apiKeys(Object.entries(keys).map(([subject, { hash }]) => ({ hash, subject })))
  const protection = protect({ resource: url, verify })
  const { close } = await serve(gateway, {
    ...protection,
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
    onRequest: (request) => accounts.onRequest(request) ?? protection.onRequest(request),
  })
  onTestFinished(async () => {
    await close()
    await gateway.close()
  })
  return { url, origin, gateway, accounts, keys }
}

type ElicitUrl = NonNullable<InputHandlers['elicitUrl']>

async function connectAs(user: string, { url, keys }: Started, elicitUrl?: ElicitUrl): Promise<Client> {
  const headers = { authorization: `Bearer ${keys[user]?.key}` }
  const client = await connect(url, { headers, ...(elicitUrl && { elicitUrl }) })
  onTestFinished(() => client.close())
  return client
}

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? ''

/** A client whose user opens the link in a browser of their own. */
function openInBrowser(user: string, opened: string[] = []): ElicitUrl {
  return async ({ url }): Promise<'accept'> => {
    opened.push(url)
    if (opened.filter((one) => one === url).length === 1) {
      const page = await createBrowser(`api-key#${user}`).connect(url)
      expect(page.text).toContain('is connected')
    }
    return 'accept'
  }
}

test('a user is asked to sign in during a call, and the call continues', async () => {
  const upstream = await startProtectedUpstream({ decide: () => ({ subject: 'ada-at-notes' }) })
  const started = await startGateway(upstream)
  const opened: string[] = []
  const client = await connectAs('ada', started, openInBrowser('ada', opened))
  const list = async (): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)
  expect(await list()).toEqual(['connect_account'])
  expect(textOf(await client.callTool('notes__whoami', {}))).toBe('ada-at-notes')
  expect(opened).toEqual([expect.stringContaining(`${started.origin}/connect/`)])
  expect(await started.accounts.isConnected('api-key#ada', 'notes')).toBe(true)
  expect(await list()).toEqual(['notes__whoami'])
})

test('waiting calls of five processes share one sign-in, which any process can finish', async () => {
  const upstream = await startProtectedUpstream()
  const shared = { stores: memoryStores(), sealingKeys: [generateKey()], keys: await makeKeys() }
  const first = await startGateway(upstream, shared)
  const others = await Promise.all([1, 2, 3, 4].map(() => startGateway(upstream, { ...shared, origin: first.origin })))
  const opened: string[] = []
  const clients = await Promise.all([first, ...others].map((one) => connectAs('ada', one, openInBrowser('ada', opened))))
  const calls = Array.from({ length: 15 }, (_, index) => clients[index % 5]?.callTool('notes__whoami', {}))
  expect((await Promise.all(calls)).map(textOf)).toEqual(new Array(15).fill('user'))
  expect(new Set(opened).size).toBe(1)
  const grants = upstream.login.requestsTo('token').map(({ parameters }) => parameters.get('grant_type'))
  expect(grants).toEqual(['authorization_code'])
})

test('a process that looks for a sign-in while another finishes it uses the new tokens and offers no second link', async () => {
  const upstream = await startProtectedUpstream()
  const shared = { stores: memoryStores(), sealingKeys: [generateKey()], keys: await makeKeys() }
  const first = await startGateway(upstream, shared)
  const { store } = shared.stores
  let release = (): void => {}
  const finished = new Promise<void>((resolve) => {
    release = resolve
  })
  let waits = 0
  let isBlocking = false
  const get = async (key: string): Promise<string | undefined> => {
    if (isBlocking && key.includes('sign-in:["notes"') && waits++ === 0) await finished
    return store.get(key)
  }
  const slow = await startGateway(upstream, {
    ...shared,
    origin: first.origin,
    stores: { ...shared.stores, store: { ...store, get } },
  })
  const opened: string[] = []
  const open = openInBrowser('ada', opened)
  const late = await connectAs('ada', slow, open)
  let lateCall: Promise<unknown> | undefined
  const client = await connectAs('ada', first, async (request, context) => {
    isBlocking = true
    lateCall ??= late.callTool('notes__whoami', {})
    await expect.poll(() => waits, { timeout: 20_000 }).toBeGreaterThan(0)
    const action = await open(request, context)
    release()
    return action
  })
  expect(textOf(await client.callTool('notes__whoami', {}))).toBe('user')
  expect(textOf(await lateCall)).toBe('user')
  expect(opened).toHaveLength(1)
  const links = (await store.list('')).filter((key) => key.includes('sign-in:["notes"'))
  expect(links).toEqual([])
})

test('nobody else can use a link, and it is used once', async () => {
  const upstream = await startProtectedUpstream()
  const started = await startGateway(upstream)
  const client = await connectAs('ada', started)
  const result = await client.callTool('notes__whoami', {})
  expect(result).toMatchObject({ isError: true })
  const [link = ''] = /http:\/\/\S+\/connect\/[\w-]+/.exec(textOf(result)) ?? []
  const eve = createBrowser('api-key#eve')
  expect((await eve.fetchPage(link)).status).toBe(403)
  expect((await eve.fetchPage(link, { method: 'POST' })).status).toBe(403)
  expect((await createBrowser().fetchPage(link)).status).toBe(401)

  const ada = createBrowser('api-key#ada')
  const foreign = { method: 'POST', headers: { origin: 'https://evil.example' } }
  expect((await ada.fetchPage(link, foreign)).status).toBe(403)
  const authorization = (await ada.fetchPage(link, { method: 'POST' })).headers.get('location') ?? ''
  expect((await createBrowser('api-key#ada').fetchPage(link, { method: 'POST' })).status).toBe(409)
  const callback = (await ada.fetchPage(authorization)).headers.get('location') ?? ''
  expect(callback).toContain('/connect/callback?')
  expect((await eve.fetchPage(callback)).status).toBe(409)
  expect((await ada.fetchPage(callback)).status).toBe(200)
  expect((await ada.fetchPage(callback)).status).toBe(404)
  expect((await ada.fetchPage(link)).status).toBe(404)
  expect(textOf(await client.callTool('notes__whoami', {}))).toBe('user')
  await expect((await connectAs('eve', started)).callTool('notes__whoami', {})).resolves.toMatchObject({ isError: true })
})

test('a request that is not a tool call fails with the link if the client cannot show it', async () => {
  const started = await startGateway(await startProtectedUpstream())
  const client = await connectAs('ada', started)
  await expect(client.getPrompt('notes__hello')).rejects.toThrow('/connect/')
  const asked = await client.callTool('connect_account', { server: 'notes' })
  expect(asked).toMatchObject({ isError: true })
  expect(textOf(asked)).toContain('/connect/')
})

test('a user who declines, or whom the authorization server refuses, gets an error', async () => {
  const denied = await startProtectedUpstream({ decide: () => ({ error: 'access_denied' }) })
  const started = await startGateway(denied)
  const declining = await connectAs('ada', started, async (): Promise<'decline'> => 'decline')
  expect(textOf(await declining.callTool('notes__whoami', {}))).toContain('did not agree')
  const refused = await connectAs('ada', started, async ({ url }): Promise<'accept'> => {
    const page = await createBrowser('api-key#ada').connect(url)
    expect(page.text).toContain('is not connected')
    return 'accept'
  })
  expect(textOf(await refused.callTool('notes__whoami', {}))).toContain('access_denied')
})

test('an expired token is refreshed once by 50 calls of three processes', async () => {
  const upstream = await startProtectedUpstream({ accessTokenTtlMs: 3000 })
  const shared = { stores: memoryStores(), sealingKeys: [generateKey()], keys: await makeKeys() }
  const first = await startGateway(upstream, shared)
  const others = await Promise.all([1, 2].map(() => startGateway(upstream, { ...shared, origin: first.origin })))
  const clients = await Promise.all([first, ...others].map((one) => connectAs('ada', one, openInBrowser('ada'))))
  for (const client of clients) expect(textOf(await client.callTool('notes__whoami', {}))).toBe('user')
  const refreshes = (): number =>
    upstream.login.requestsTo('token').filter(({ parameters }) => parameters.get('grant_type') === 'refresh_token').length
  const before = refreshes()
  // The refreshed token lives long enough for all calls.
  upstream.login.setFaults({ token: { expires_in: 300 } })
  await new Promise((resolve) => setTimeout(resolve, 3100))
  const calls = Array.from({ length: 50 }, (_, index) => clients[index % 3]?.callTool('notes__whoami', {}))
  expect((await Promise.all(calls)).map(textOf)).toEqual(new Array(50).fill('user'))
  expect(refreshes() - before).toBe(1)
})

test('tokens of the caller and of the accounts appear neither on the wire to the server, nor in the store, nor in events', async () => {
  const upstream = await startProtectedUpstream()
  const stores = memoryStores()
  const events: unknown[] = []
  const started = await startGateway(upstream, { stores, onError: (event) => void events.push(event) })
  const client = await connectAs('ada', started, openInBrowser('ada'))
  await client.callTool('notes__whoami', {})
  await client.readResource('notes://me').catch(() => {})
  const inbound = String(started.keys.ada?.key)
  expect(upstream.wire.length).toBeGreaterThan(0)
  expect(upstream.wire.filter((line) => line.includes(inbound))).toEqual([])
  const issued = upstream.wire.flatMap((line) => /Bearer ([\w.-]{20,})/.exec(line)?.[1] ?? [])
  expect(issued.length).toBeGreaterThan(0)
  const dump = (await Promise.all((await stores.store.list('')).map((key) => stores.store.get(key)))).join()
  for (const secret of [inbound, ...issued]) {
    expect(dump).not.toContain(secret)
    expect(JSON.stringify(events, (_key, value) => (value instanceof Error ? String(value.stack) : value))).not.toContain(secret)
  }
  expect(dump).not.toContain('accessToken')
})

test('10,000 interleaved calls of two users: each call uses the account of its user', async () => {
  const subjects = ['ada-at-notes', 'eve-at-notes']
  const upstream = await startProtectedUpstream({ decide: () => ({ subject: subjects.shift() ?? 'nobody' }) })
  const started = await startGateway(upstream)
  const ada = await connectAs('ada', started, openInBrowser('ada'))
  const eve = await connectAs('eve', started, openInBrowser('eve'))
  expect(textOf(await ada.callTool('notes__whoami', {}))).toBe('ada-at-notes')
  expect(textOf(await eve.callTool('notes__whoami', {}))).toBe('eve-at-notes')
  let mixedUp = 0
  for (let done = 0; done < 10_000; done += 50) {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? ada : eve).callTool('notes__whoami', {})),
    )
    for (const [index, result] of results.entries())
      if (textOf(result) !== (index % 2 === 0 ? 'ada-at-notes' : 'eve-at-notes')) mixedUp++
  }
  expect(mixedUp).toBe(0)
}, 300_000)

test('a user who disconnects an account is asked to sign in again', async () => {
  const started = await startGateway(await startProtectedUpstream())
  const opened: string[] = []
  const client = await connectAs('ada', started, openInBrowser('ada', opened))
  await client.callTool('notes__whoami', {})
  await started.accounts.disconnect('api-key#ada', 'notes')
  expect(await started.accounts.isConnected('api-key#ada', 'notes')).toBe(false)
  expect(textOf(await client.callTool('notes__whoami', {}))).toBe('user')
  expect(opened).toHaveLength(2)
})

test('after a sign-in, all processes announce the new tools to the sessions that they hold', async () => {
  const upstream = await startProtectedUpstream()
  const shared = { stores: memoryStores(), sealingKeys: [generateKey()], keys: await makeKeys() }
  const first = await startGateway(upstream, { ...shared, refreshes: true })
  const others = await Promise.all([1, 2].map(() => startGateway(upstream, { ...shared, origin: first.origin })))
  const changes: string[] = []
  const watch = async (client: Client, name: string): Promise<void> => {
    const subscription = client.listen({ toolsListChanged: true })
    await subscription.acknowledged
    void (async () => {
      for await (const { type } of subscription) changes.push(`${name} ${type}`)
    })()
  }
  for (const [index, other] of others.entries()) await watch(await connectAs('ada', other), `process ${index + 2}`)
  const client = await connectAs('ada', first, openInBrowser('ada'))
  await watch(client, 'process 1')
  expect(textOf(await client.callTool('notes__whoami', {}))).toBe('user')
  await expect.poll(() => [...new Set(changes)].sort()).toEqual(['process 1 tools', 'process 2 tools', 'process 3 tools'])
})
