import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, connect } from 'portcall/client'
import { authorizationServer } from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createBrowser, findPort, type ProtectedUpstream, startProtectedUpstream } from '../gateway/support/protected-upstream.ts'
import { createWorkspace, startGateway, type Workspace } from './support/gateway.ts'
import { COMMAND, portcall, STDIO } from './support/portcall.ts'

const DEMO_SERVER = { command: process.execPath, args: [STDIO] }

type ConnectOptions = NonNullable<Parameters<typeof connect>[1]>

async function connectTo(target: Parameters<typeof connect>[0], options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target, options)
  onTestFinished(client.close)
  return client
}
const textOf = async (client: Client, name: string, args = {}): Promise<string> => {
  const { content } = await client.callTool(name, args)
  return content[0]?.type === 'text' ? content[0].text : ''
}
const toolsOf = async (client: Client): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)

/** Creates a configuration with one protected server. */
const createProtected = ({ url }: ProtectedUpstream, auth: object, more: object = {}): Promise<Workspace> =>
  createWorkspace({ mcpServers: { notes: { url } }, gateway: { servers: { notes: { auth } }, ...more } })

/** A client whose user opens links in a browser. */
const withBrowser = (opened: string[]): ConnectOptions => ({
  async elicitUrl({ url }): Promise<'accept'> {
    opened.push(url)
    expect((await createBrowser().connect(url)).text).toContain('is connected')
    return 'accept'
  },
})

describe('the credentials of a server', () => {
  test('are a token in a file, which is read again when it is refused', async () => {
    const upstream = await startProtectedUpstream()
    const workspace = await createProtected(upstream, { type: 'bearer', file: 'token.txt' })
    const token = (subject: string): Promise<string> => upstream.login.issue({ subject, resources: [upstream.url] })
    await writeFile(join(workspace.dir, 'token.txt'), 'expired')
    const { url, log } = await startGateway(workspace)
    await writeFile(join(workspace.dir, 'token.txt'), `${await token('robot')}\n`)
    expect(await textOf(await connectTo(url), 'notes__whoami')).toBe('robot')
    expect(log()).not.toContain('expired')
    const { file, env } = workspace
    expect(await portcall(['gateway', 'check', '--config', file], { env })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^ok +notes +\d+ tools/m),
    })
  })

  test('are those of an OAuth client', async () => {
    const upstream = await startProtectedUpstream({
      clients: [{ client_id: 'gateway', client_secret: 'a-secret-of-the-gateway' }],
    })
    const workspace = await createProtected(upstream, {
      type: 'client-credentials',
      clientId: 'gateway',
      clientSecret: '${SECRET}',
      issuer: upstream.login.issuer,
    })
    const env = { ...workspace.env, SECRET: 'a-secret-of-the-gateway' }
    const { url } = await startGateway({ ...workspace, env })
    expect(await textOf(await connectTo(url), 'notes__whoami')).toBe('gateway')
    expect((await portcall(['gateway', 'status', '--json'], { env })).out).not.toContain('a-secret-of-the-gateway')
  })

  test('are exchanged for the token of the caller, which reaches no server', async () => {
    const company = await authorizationServer()
    onTestFinished(() => company.close())
    const upstream = await startProtectedUpstream({
      clients: [{ client_id: 'gateway', client_secret: 'secret' }],
      trustedIssuers: [{ issuer: company.issuer, keys: company.keys }],
    })
    const port = await findPort()
    const resource = `http://127.0.0.1:${port}/mcp`
    const auth = { type: 'token-exchange', clientId: 'gateway', clientSecret: 'secret', issuer: upstream.login.issuer }
    const workspace = await createProtected(upstream, auth, { auth: { resource, issuers: [company.issuer] } })
    const { log } = await startGateway(workspace, '--port', String(port), '--verbose')
    for (const user of ['ada', 'eve']) {
      const token = await company.issue({ subject: user, resources: [resource] })
      const client = await connectTo(resource, { headers: { authorization: `Bearer ${token}` } })
      expect(await textOf(client, 'notes__whoami')).toBe(user)
      expect(upstream.wire.filter((line) => line.includes(token))).toEqual([])
      expect(log()).not.toContain(token)
    }
  })

  test('are the account of the user of this machine, who signs in once', async () => {
    const upstream = await startProtectedUpstream({ decide: () => ({ subject: 'ada-at-notes' }) })
    const workspace = await createProtected(upstream, { type: 'user' })
    const { file, env } = workspace
    expect(await portcall(['gateway', 'check', '--config', file], { env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('users sign in when they call it'),
    })
    const opened: string[] = []
    const first = await startGateway(workspace)
    const client = await connectTo(first.url, withBrowser(opened))
    expect(await toolsOf(client)).toEqual(['connect_account'])
    expect(await textOf(client, 'notes__whoami')).toBe('ada-at-notes')
    expect(opened).toEqual([expect.stringContaining(`${new URL(first.url).origin}/connect/`)])
    first.child.kill('SIGTERM')
    await first.end

    const target = {
      command: process.execPath,
      args: [COMMAND, 'gateway', '--config', workspace.file, '--stdio'],
      env: workspace.env,
    }
    const restarted = await connectTo(target, { ...withBrowser(opened), protocolVersion: '2025-11-25' })
    expect(await textOf(restarted, 'notes__whoami')).toBe('ada-at-notes')
    expect(opened).toHaveLength(1)
    const accounts = join(workspace.dir, 'home', 'accounts')
    expect(await readdir(accounts)).toContain('key')
    const stored = await readFile(join(accounts, 'tokens.json'), 'utf8')
    const issued = upstream.wire.flatMap((line) => /Bearer ([\w.-]{20,})/.exec(line)?.[1] ?? [])
    expect(issued.length).toBeGreaterThan(0)
    for (const token of issued) expect(stored).not.toContain(token)
  })

  test('over stdio, a page on the loopback interface finishes the sign-in', async () => {
    const upstream = await startProtectedUpstream()
    const { file, env } = await createProtected(upstream, { type: 'user' })
    const opened: string[] = []
    const target = { command: process.execPath, args: [COMMAND, 'gateway', '--config', file, '--stdio'], env }
    const client = await connectTo(target, withBrowser(opened))
    expect(await textOf(client, 'notes__whoami')).toBe('user')
    const page = new URL(opened[0] ?? '')
    const foreign = await fetch(page, { headers: { host: 'evil.example' } })
    expect(foreign.status).toBe(404)
  })

  test('belong to each user, whom a reverse proxy identifies', async () => {
    const company = await authorizationServer()
    onTestFinished(() => company.close())
    const upstream = await startProtectedUpstream()
    const port = await findPort()
    const resource = `http://127.0.0.1:${port}/mcp`
    const workspace = await createProtected(
      upstream,
      { type: 'user' },
      {
        auth: { resource, issuers: [company.issuer] },
        accounts: { origin: `http://127.0.0.1:${port}`, identify: { header: 'X-Test-User' } },
      },
    )
    await startGateway(workspace, '--port', String(port))
    const connectAs = async (user: string, browser: string): Promise<Client> => {
      const token = await company.issue({ subject: user, resources: [resource] })
      return connectTo(resource, {
        headers: { authorization: `Bearer ${token}` },
        async elicitUrl({ url }) {
          const { status } = await createBrowser(browser).connect(url)
          return status === 200 ? 'accept' : 'decline'
        },
      })
    }
    expect(await textOf(await connectAs('ada', 'ada'), 'notes__whoami')).toBe('user')
    expect(await textOf(await connectAs('eve', 'ada'), 'notes__whoami')).toContain('did not agree')
  })

  test('belong to each user, who logs in at the identity provider', async () => {
    let subject = ''
    const company = await authorizationServer({ decide: () => ({ subject }) })
    onTestFinished(() => company.close())
    const upstream = await startProtectedUpstream()
    const port = await findPort()
    const resource = `http://127.0.0.1:${port}/mcp`
    const workspace = await createProtected(upstream, { type: 'user' }, { auth: { resource, issuers: [company.issuer] } })
    await startGateway(workspace, '--port', String(port))
    const connectAs = async (user: string, browser: string): Promise<Client> => {
      const token = await company.issue({ subject: user, resources: [resource] })
      return connectTo(resource, {
        headers: { authorization: `Bearer ${token}` },
        async elicitUrl({ url }) {
          subject = browser
          const { status } = await createBrowser().connect(url)
          return status === 200 ? 'accept' : 'decline'
        },
      })
    }
    expect(await textOf(await connectAs('ada', 'ada'), 'notes__whoami')).toBe('user')
    expect(await textOf(await connectAs('eve', 'ada'), 'notes__whoami')).toContain('did not agree')
  })

  test('mistakes', async () => {
    const upstream = { url: 'https://notes.example.com/mcp' } as ProtectedUpstream
    const fail = async (auth: object, more: object = {}): Promise<string> => {
      const { file, env } = await createProtected(upstream, auth, more)
      return (await portcall(['gateway', '--dry-run', '--config', file], { env })).err
    }
    expect(await fail({ type: 'bearer' })).toContain('gateway.servers.notes.auth needs either token or file')
    expect(await fail({ type: 'client-credentials', clientId: 'x' })).toContain('needs the key clientSecret')
    expect(await fail({ type: 'user', token: 'x' })).toContain('of type user has no key token')
    expect(await fail({ type: 'oauth' })).toContain('gateway.servers.notes.auth.type: expected one of')
    const exchange = { type: 'token-exchange', clientId: 'x', clientSecret: 'y', issuer: 'https://login.example.com' }
    expect(await fail(exchange)).toContain('needs gateway.auth')
    const apiKeys = [{ subject: 'ci', key: 'key_0123456789abcdef' }]
    expect(await fail({ type: 'user' }, { auth: { resource: 'https://x/mcp', apiKeys } })).toContain(
      'gateway.accounts needs identify',
    )
    const auth = { resource: 'https://x/mcp', issuers: ['https://login.example.com'] }
    const misplaced = await createWorkspace({ mcpServers: { notes: { ...upstream, listTimeoutMs: 5 } } })
    const { err } = await portcall(['gateway', '--dry-run', '--config', misplaced.file], { env: misplaced.env })
    expect(err).toContain(`${misplaced.file}: The server notes: listTimeoutMs is ignored here; move it to gateway.servers.notes`)
    const more = { auth, accounts: { identify: 'insecure-any-browser' }, store: 'sqlite:x.db' }
    expect(await fail({ type: 'user' }, more)).toContain('gateway.sealingKeys is missing')
  })
})

describe('sets of tools', () => {
  const sets = {
    dev: {
      tools: ['demo__greet', 'demo__count'],
      changes: { demo__greet: { name: 'hello', arguments: { times: { fixed: 2 } } } },
    },
    none: { tools: [] },
  }

  test('are at paths below the endpoint, for clients of both eras', async () => {
    const workspace = await createWorkspace({ mcpServers: { demo: DEMO_SERVER }, gateway: { sets } })
    const { url } = await startGateway(workspace)
    for (const protocolVersion of ['2026-07-28', '2025-06-18']) {
      const dev = await connectTo(`${url}/dev`, { protocolVersion })
      expect(await toolsOf(dev)).toEqual(['hello', 'demo__count'])
      expect(await textOf(dev, 'hello', { name: 'Ada', times: 1 })).toBe('Hello, Ada! Hello, Ada!')
      await expect(dev.callTool('demo__fail', {})).rejects.toThrow('Unknown tool')
      expect(await toolsOf(await connectTo(`${url}/none`, { protocolVersion }))).toEqual([])
      expect(await toolsOf(await connectTo(url, { protocolVersion }))).toContain('demo__fail')
      await expect(connectTo(`${url}/dov`, { protocolVersion }).then(toolsOf)).rejects.toThrow('404')
    }
    expect((await fetch(`${url}x/dev`, { method: 'POST', body: '{}' })).status).toBe(404)
  })

  test('--set offers only one of them', async () => {
    const { file, env } = await createWorkspace({ mcpServers: { demo: DEMO_SERVER }, gateway: { sets } })
    const args = ['gateway', '--config', file, '--stdio', '--set']
    const client = await connectTo({ command: process.execPath, args: [COMMAND, ...args, 'dev'], env })
    expect(await toolsOf(client)).toEqual(['hello', 'demo__count'])
    expect(await portcall([...args, 'dov'], { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean dev?'),
    })
  })
})
