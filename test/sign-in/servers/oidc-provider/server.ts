import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { introspection } from 'portcall/auth/server'
import { createProviderMemory } from '../../../auth/support/adapter.ts'
import { configure, createSigningKey } from '../../../auth/support/configuration.ts'
import { type ForeignServer, SCOPES } from '../../support/server.ts'

const APP = { clientId: 'notes-app', clientSecret: 'app-secret' }
const PROGRAM = { clientId: 'nightly', clientSecret: 'nightly-secret' }
const VERIFIER = { clientId: 'notes-server', clientSecret: 'server-secret' }

const toMetadata = ({ clientId, clientSecret }: typeof APP) => ({ client_id: clientId, client_secret: clientSecret })

/** oidc-provider with its own login and consent pages, and opaque tokens. */
export const server: ForeignServer = {
  name: 'oidc-provider',
  title: 'oidc-provider 9.13.3',
  lacks: {},
  async start({ url }) {
    const listener = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
    const memory = createProviderMemory()
    const none = { redirect_uris: [], response_types: [] }
    const {
      interactions: _,
      features,
      ...configuration
    } = configure({
      resource: url,
      scope: SCOPES.join(' '),
      tokens: 'opaque',
      clients: [
        {
          ...toMetadata(APP),
          redirect_uris: ['http://127.0.0.1/callback'],
          application_type: 'native',
          grant_types: ['authorization_code', 'refresh_token'],
        },
        { ...toMetadata(PROGRAM), ...none, grant_types: ['client_credentials'] },
        { ...toMetadata(VERIFIER), ...none, grant_types: [] },
      ],
    })
    const provider = new Provider(issuer, {
      ...configuration,
      features: { ...features, devInteractions: { enabled: true } },
      adapter: memory.Adapter,
      jwks: { keys: [await createSigningKey()] },
    })
    listener.on('request', provider.callback())
    return {
      issuer,
      verify: introspection({
        issuer,
        endpoint: `${issuer}/token/introspection`,
        ...VERIFIER,
        cacheTtlMs: 0,
        clientTokens: true,
      }),
      clients: { app: APP, program: PROGRAM },
      forgetClients: async () => memory.forget('Client'),
      revokeTokens: async () => memory.forget('AccessToken', 'ClientCredentials', 'RefreshToken', 'Grant'),
      revokeAccessTokens: async () => memory.forget('AccessToken'),
      async close() {
        const closed = new Promise((resolve) => listener.close(resolve))
        listener.closeAllConnections()
        await closed
      },
    }
  },
}
