import { emailOf, passwordOf, type RegisteredClient, SCOPES, USERS } from '../../support/server.ts'
import type { Admin } from './admin.ts'

export const REALM = '/notes'
export const APP = { clientId: 'notes-app', clientSecret: 'app-secret' }
export const PROGRAM = { clientId: 'nightly', clientSecret: 'nightly-secret' }

/** Creates a realm with users and clients, and configures it as docs/authorization/identity-providers.md says. */
export async function createRealm(admin: Admin, resource: string): Promise<void> {
  await admin.post('', {
    realm: REALM.slice(1),
    enabled: true,
    sslRequired: 'none',
    users: USERS.map(toUser),
    clients: [
      toClient(APP, { standardFlowEnabled: true, redirectUris: ['http://127.0.0.1/callback'] }),
      toClient(PROGRAM, { standardFlowEnabled: false, serviceAccountsEnabled: true }),
    ],
  })
  for (const name of SCOPES) await admin.post(`${REALM}/client-scopes`, toScope(name, resource))
  const scopes = (await admin.get<{ id: string; name: string }[]>(`${REALM}/client-scopes`)).filter(({ name }) =>
    SCOPES.includes(name),
  )
  for (const { id } of scopes) await admin.put(`${REALM}/default-optional-client-scopes/${id}`)
  for (const { clientId } of [APP, PROGRAM]) {
    const [client] = await admin.get<{ id: string }[]>(`${REALM}/clients?clientId=${clientId}`)
    for (const { id } of scopes) await admin.put(`${REALM}/clients/${client?.id}/optional-client-scopes/${id}`)
  }
  await allowRegistration(admin)
}

function toUser(name: string): object {
  return {
    username: name,
    email: emailOf(name),
    emailVerified: true,
    firstName: name,
    lastName: 'Example',
    enabled: true,
    credentials: [{ type: 'password', value: passwordOf(name) }],
    realmRoles: ['offline_access'],
  }
}

function toClient({ clientId, clientSecret }: RegisteredClient, flows: object): object {
  return { clientId, secret: clientSecret, enabled: true, ...flows }
}

/** A scope that adds the URL of the protected server to the audience. */
function toScope(name: string, resource: string): object {
  return {
    name,
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'true' },
    protocolMappers: [
      {
        name: 'audience',
        protocol: 'openid-connect',
        protocolMapper: 'oidc-audience-mapper',
        config: { 'included.custom.audience': resource, 'access.token.claim': 'true' },
      },
    ],
  }
}

interface Policy {
  readonly id: string
  readonly name: string
  readonly subType: string
  readonly config: Readonly<Record<string, readonly string[]>>
}

/** Lets clients on this machine register themselves, for the scopes of the protected server. */
async function allowRegistration(admin: Admin): Promise<void> {
  const type = 'org.keycloak.services.clientregistration.policy.ClientRegistrationPolicy'
  const policies = await admin.get<Policy[]>(`${REALM}/components?type=${type}`)
  const change = async (name: string, config: Policy['config']): Promise<void> => {
    const policy = policies.find((one) => one.name === name && one.subType === 'anonymous')
    await admin.put(`${REALM}/components/${policy?.id}`, { ...policy, config: { ...policy?.config, ...config } })
  }
  await change('Trusted Hosts', { 'trusted-hosts': ['127.0.0.1'] })
  await change('Allowed Client Scopes', { 'allowed-client-scopes': SCOPES })
}
