import type { ProtectOptions } from 'portcall/auth/server'
import { introspection, jwt } from 'portcall/auth/server'
import { type Client, type ConnectOptions, connect } from 'portcall/client'
import { onTestFinished } from 'vitest'
import type { ProviderChoice } from './configuration.ts'
import { findPlace, SCOPES, serveNotes } from './notes.ts'
import { startProvider, type TestProvider } from './provider.ts'

/** A protected server, and the provider that it trusts. */
export interface Place {
  readonly url: string
  readonly provider: TestProvider
  connect(options: ConnectOptions): Promise<Client>
}

export interface PlaceChoice extends Partial<ProviderChoice> {
  readonly protect?: Partial<ProtectOptions>
}

const GUARD = { client_id: 'notes-server', client_secret: 'guard-secret' }

/** Starts both until the test is over. */
export async function testPlace({ protect, ...choice }: PlaceChoice = {}): Promise<Place> {
  const { url, port } = await findPlace()
  const { clients = [], tokens = 'jwt' } = choice
  const guard = { ...GUARD, grant_types: [], response_types: [], redirect_uris: [] }
  const provider = await startProvider({ resource: url, scope: SCOPES.join(' '), ...choice, clients: [...clients, guard] })
  const { issuer } = provider
  const verify =
    tokens === 'jwt'
      ? jwt({ issuer, jwksUri: `${issuer}/jwks`, keyPauseMs: 0, clockToleranceS: 0 })
      : introspection({
          issuer,
          endpoint: `${issuer}/token/introspection`,
          clientId: GUARD.client_id,
          clientSecret: GUARD.client_secret,
          cacheMs: 0,
        })
  const serving = await serveNotes(port, { authorizationServers: [issuer], verify, clockToleranceS: 0, ...protect })
  onTestFinished(async () => {
    await serving.close()
    await provider.close()
  })
  return {
    url,
    provider,
    async connect(options) {
      const client = await connect(url, options)
      onTestFinished(() => client.close())
      return client as Client
    },
  }
}

/** Whom the server takes a client for. */
export async function whoami(client: Client): Promise<{ subject?: string; clientId?: string; scopes: string[] }> {
  return JSON.parse(await callText(client, 'whoami'))
}

/** The text that a tool says. */
export async function callText(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool(name)
  const [block] = content as Array<{ text?: string }>
  return block?.text ?? ''
}
