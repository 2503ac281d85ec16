import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { introspection } from 'portcall/auth/server'
import { freePort } from '../../../support/free-port.mjs'
import { createControl } from '../../support/control.ts'
import { PYTHON } from '../../support/places.mjs'
import { startProgram } from '../../support/program.ts'
import { emailOf, type ForeignServer, passwordOf, SCOPES, USERS } from '../../support/server.ts'

const APP = { clientId: 'notes-app', clientSecret: 'app-secret' }
const PROGRAM = { clientId: 'nightly', clientSecret: 'nightly-secret' }
const VERIFIER = { clientId: 'notes-server', clientSecret: 'server-secret' }

const CLIENTS = [
  toApplication(APP, 'authorization-code'),
  toApplication(PROGRAM, 'client-credentials'),
  toApplication(VERIFIER, 'client-credentials'),
]

function toApplication({ clientId, clientSecret }: typeof APP, grant: string): object {
  return {
    name: clientId,
    client_id: clientId,
    client_secret: clientSecret,
    client_type: 'confidential',
    authorization_grant_type: grant,
    redirect_uris: 'http://127.0.0.1/callback',
  }
}

/** Django OAuth Toolkit with its own consent page, opaque tokens and introspection. */
export const server: ForeignServer = {
  name: 'django',
  title: 'Django OAuth Toolkit 3.4.1',
  lacks: {
    dpop: 'it has no DPoP',
    'device code': 'its metadata does not name its device authorization endpoint',
  },
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'sign-in-django-'))
    const port = await freePort()
    const issuer = `http://127.0.0.1:${port}`
    const users = USERS.map((name) => ({ name, email: emailOf(name), password: passwordOf(name) }))
    const choices = JSON.stringify({ scopes: SCOPES, clients: CLIENTS, users })
    const script = fileURLToPath(new URL('server.py', import.meta.url))
    const program = await startProgram(PYTHON, [script, String(port), folder, choices], {
      readyUrl: `${issuer}/.well-known/oauth-authorization-server`,
    })
    const control = createControl(issuer, program)
    return {
      issuer,
      verify: introspection({ issuer, endpoint: `${issuer}/introspect/`, ...VERIFIER, cacheTtlMs: 0, clientTokens: true }),
      clients: { app: APP, program: PROGRAM },
      forgetClients: () => control('forget-clients'),
      revokeTokens: () => control('revoke-tokens'),
      revokeAccessTokens: () => control('revoke-access-tokens'),
      async close() {
        await program.stop()
        rmSync(folder, { recursive: true })
      },
    }
  },
}
