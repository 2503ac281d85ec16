import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { createProviderMemory } from './adapter.ts'
import { configure, createSigningKey, type ProviderOptions } from './configuration.ts'

/** An independent authorization server on this machine. */
export interface TestProvider {
  readonly issuer: string
  /** The grant types of all token responses, in order. */
  readonly grants: readonly string[]
  /** The number of grants that clients have revoked. */
  readonly revocations: number
  /** The number of login and consent pages that users completed. */
  readonly decisions: number
  /** Adds a new signing key. `forget` removes the previous keys. */
  rotateKeys(options?: { forget?: boolean }): Promise<void>
  /** Revokes all tokens and grants. */
  revokeAll(): void
  close(): Promise<void>
}

/** The user of all logins. */
export const USER = 'ada'

/** Starts a provider whose user consents to everything. */
export async function startProvider(choice: ProviderOptions): Promise<TestProvider> {
  const grants: string[] = []
  let decisions = 0
  let revocations = 0
  let provider: Provider | undefined
  const server = createServer((request, response) => {
    if (!provider) return void response.writeHead(503).end()
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response)
    decisions++
    decide(provider, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const memory = createProviderMemory()
  let keys = [await createSigningKey()]
  const rebuild = (): void => {
    provider = new Provider(issuer, { ...configure(choice), adapter: memory.Adapter, jwks: { keys } })
    provider.on('grant.revoked', () => void revocations++)
    provider.on('grant.success', (ctx) => grants.push(String(ctx.oidc.params?.['grant_type'])))
  }
  rebuild()
  return {
    issuer,
    grants,
    get revocations() {
      return revocations
    },
    get decisions() {
      return decisions
    },
    async rotateKeys({ forget = false } = {}) {
      const key = await createSigningKey()
      keys = forget ? [key] : [key, ...keys]
      rebuild()
    },
    revokeAll: () => memory.forget('AccessToken', 'ClientCredentials', 'RefreshToken', 'Grant'),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Completes the login and consent pages on behalf of the user. */
async function decide(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, grantId, session } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: USER } }, { mergeWithLastSubmission: false })
    return
  }
  const details = prompt.details as { missingOIDCScope?: string[]; missingResourceScopes?: Record<string, string[]> }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({ accountId: session?.accountId ?? USER, clientId: String(params['client_id']) })
  if (details.missingOIDCScope) grant.addOIDCScope(details.missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(details.missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '))
  const consent = { grantId: await grant.save() }
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
}
