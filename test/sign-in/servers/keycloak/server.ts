import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jwt } from 'portcall/auth/server'
import { freePort } from '../../../support/free-port.mjs'
import { KEYCLOAK, KEYCLOAK_VERSION } from '../../support/places.mjs'
import { startProgram } from '../../support/program.ts'
import type { ForeignServer } from '../../support/server.ts'
import { type Admin, createAdmin } from './admin.ts'
import { APP, createRealm, PROGRAM, REALM } from './realm.ts'

const PASSWORD = 'only-for-tests'

/** Keycloak with a realm in memory, its own login and consent pages, and JWTs. */
export const server: ForeignServer = {
  name: 'keycloak',
  title: `Keycloak ${KEYCLOAK_VERSION}`,
  lacks: { 'rejected token': 'its access tokens are JWTs, which are valid until they expire' },
  async start({ url }) {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const folder = mkdtempSync(join(tmpdir(), 'sign-in-keycloak-'))
    const program = await startProgram(
      `${KEYCLOAK}bin/kc.sh`,
      ['start', '--optimized', '--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`, '--hostname-strict=false'],
      {
        env: {
          ...process.env,
          KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
          KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
          KC_CACHE: 'local',
          TMPDIR: folder,
        },
        readyUrl: `${origin}/realms/master`,
      },
    )
    const admin = await createAdmin(origin, PASSWORD)
    await createRealm(admin, url)
    const issuer = `${origin}/realms${REALM}`
    return {
      issuer,
      verify: jwt({ issuer, jwksUri: `${issuer}/protocol/openid-connect/certs` }),
      clients: { app: APP, program: PROGRAM },
      forgetClients: () => forgetClients(admin),
      revokeTokens: () => revokeTokens(admin),
      async close() {
        await program.stop()
        rmSync(folder, { recursive: true })
      },
    }
  },
}

interface Client {
  readonly id: string
  readonly clientId: string
  readonly name?: string
}

async function forgetClients(admin: Admin): Promise<void> {
  const clients = await admin.get<Client[]>(`${REALM}/clients`)
  const isDynamic = ({ clientId }: Client): boolean => /^[\da-f-]{36}$/.test(clientId)
  for (const { id } of clients.filter(isDynamic)) await admin.delete(`${REALM}/clients/${id}`)
}

/** Ends all sessions, those of offline tokens included. */
async function revokeTokens(admin: Admin): Promise<void> {
  for (const { id } of await admin.get<Client[]>(`${REALM}/clients`)) {
    const sessions = await admin.get<{ id: string }[]>(`${REALM}/clients/${id}/offline-sessions`)
    for (const session of sessions) await admin.delete(`${REALM}/sessions/${session.id}?isOffline=true`)
  }
  await admin.post(`${REALM}/logout-all`, {})
}
