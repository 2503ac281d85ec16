import { fileURLToPath } from 'node:url'
import { freePort } from '../../../support/free-port.mjs'
import { createControl } from '../../support/control.ts'
import { PYTHON } from '../../support/places.mjs'
import { startProgram } from '../../support/program.ts'
import { type ForeignServer, passwordOf, SCOPES, USERS } from '../../support/server.ts'

/** FastMCP, which serves MCP itself, with the authorization server of the Python SDK. */
export const server: ForeignServer = {
  name: 'fastmcp',
  title: 'FastMCP 4.2.3 with the Python SDK 2.3.0',
  lacks: {
    dpop: 'it has no DPoP',
    'client credentials': 'it has no client credentials grant',
    'device code': 'it has no device authorization endpoint',
  },
  async start({ port }) {
    const origin = `http://127.0.0.1:${port}`
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
    const app = { clientId: 'notes-app', clientSecret: 'app-secret', authentication: 'client_secret_post', redirectUri } as const
    const client = {
      client_id: app.clientId,
      client_secret: app.clientSecret,
      token_endpoint_auth_method: app.authentication,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: SCOPES.join(' '),
    }
    const users = USERS.map((name) => ({ name, password: passwordOf(name) }))
    const choices = JSON.stringify({ scopes: SCOPES, clients: [client], users })
    const script = fileURLToPath(new URL('server.py', import.meta.url))
    const program = await startProgram(PYTHON, [script, String(port), choices], {
      readyUrl: `${origin}/.well-known/oauth-authorization-server`,
    })
    const control = createControl(origin, program)
    return {
      issuer: `${origin}/`,
      clients: { app },
      forgetClients: () => control('forget-clients'),
      revokeTokens: () => control('revoke-tokens'),
      revokeAccessTokens: () => control('revoke-access-tokens'),
      requireAllScopes: (required) => control(required ? 'require-all' : 'require-one'),
      close: program.stop,
    }
  },
}
