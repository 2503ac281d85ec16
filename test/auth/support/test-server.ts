import type { Server } from 'portcall'
import type { ProtectOptions } from 'portcall/auth/server'
import { introspection, jwt } from 'portcall/auth/server'
import { type Client, type ConnectOptions, connect } from 'portcall/client'
import { onTestFinished } from 'vitest'
import type { ProviderOptions } from './configuration.ts'
import { createNotes, reserveUrl, SCOPES, serveNotes } from './notes.ts'
import { startProvider, type TestProvider } from './provider.ts'

/** A protected server, and the provider that it trusts. */
export interface TestServer {
  readonly url: string
  readonly provider: TestProvider
  /** The server behind the protection. */
  readonly notes: Server
  connect(options: ConnectOptions): Promise<Client>
}

export interface TestServerOptions extends Partial<ProviderOptions> {
  /** The provider that the server trusts. Default: one of its own. */
  readonly provider?: TestProvider
  readonly protect?: Partial<ProtectOptions>
}

const RESOURCE_SERVER = { client_id: 'notes-server', client_secret: 'server-secret' }

/** Starts both servers until the test ends. */
export async function startTestServer({ protect, provider: shared, ...choice }: TestServerOptions = {}): Promise<TestServer> {
  const { url, port } = await reserveUrl()
  const { clients = [], tokens = 'jwt' } = choice
  const resourceServer = { ...RESOURCE_SERVER, grant_types: [], response_types: [], redirect_uris: [] }
  const provider =
    shared ?? (await startProvider({ resource: url, scope: SCOPES.join(' '), ...choice, clients: [...clients, resourceServer] }))
  const { issuer } = provider
  const verify =
    tokens === 'jwt'
      ? jwt({ issuer, jwksUri: `${issuer}/jwks`, jwksCooldownDelayMs: 0, clockToleranceMs: 0 })
      : introspection({
          issuer,
          endpoint: `${issuer}/token/introspection`,
          clientId: RESOURCE_SERVER.client_id,
          clientSecret: RESOURCE_SERVER.client_secret,
          cacheTtlMs: 0,
          // The responses for tokens of programs have no `sub`.
          clientTokens: true,
        })
  const notes = createNotes()
  const serving = await serveNotes(port, { authorizationServers: [issuer], verify, clockToleranceMs: 0, ...protect }, notes)
  onTestFinished(async () => {
    await serving.close()
    if (!shared) await provider.close()
  })
  return {
    url,
    provider,
    notes,
    async connect(options) {
      const client = await connect(url, options)
      onTestFinished(() => client.close())
      return client as Client
    },
  }
}

/** Returns the caller as the server sees it. */
export async function whoami(client: Client): Promise<{ subject?: string; clientId?: string; scopes: string[] }> {
  return JSON.parse(await callText(client, 'whoami'))
}

/** Calls a tool and returns its text. */
export async function callText(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool(name)
  const [block] = content as Array<{ text?: string }>
  return block?.text ?? ''
}
