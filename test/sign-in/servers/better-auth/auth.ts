import { memoryAdapter } from '@better-auth/memory-adapter'
import { oauthDeviceAuthorization, oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { jwt } from 'better-auth/plugins'
import { emailOf, passwordOf, type RegisteredClient, SCOPES, USERS } from '../../support/server.ts'

/** The parts of better-auth that are used here. Its own types do not allow `exactOptionalPropertyTypes`. */
export interface Auth {
  handler(request: Request): Promise<Response>
  readonly api: {
    signUpEmail(request: { readonly body: object }): Promise<unknown>
    signInEmail(request: { readonly body: object; readonly asResponse: true }): Promise<Response>
    adminCreateOAuthClient(request: { readonly headers: Headers; readonly body: object }): Promise<CreatedClient>
    adminLinkClientResource(request: { readonly headers: Headers; readonly params: object }): Promise<unknown>
  }
}

interface CreatedClient {
  readonly client_id: string
  readonly client_secret?: string
}

/** The rows of all tables. */
export type Tables = Record<string, object[]>

const TABLES = [
  ...['user', 'session', 'account', 'verification', 'jwks', 'deviceCode', 'rateLimit', 'oauthClient', 'oauthRefreshToken'],
  ...['oauthAccessToken', 'oauthConsent', 'oauthResource', 'oauthClientResource', 'oauthClientAssertion'],
]

export const createTables = (): Tables => Object.fromEntries(TABLES.map((name) => [name, []]))

/** Creates the authorization server with its users. */
export async function createAuth(origin: string, resource: string, tables: Tables): Promise<Auth> {
  const provider = oauthProvider({
    loginPage: '/login',
    consentPage: '/consent',
    scopes: [...SCOPES, 'offline_access'],
    resources: [resource],
    clientPrivileges: () => true,
    resourcePrivileges: () => true,
    clientRegistrationDefaultResources: [resource],
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
  })
  const auth = betterAuth({
    baseURL: origin,
    secret: 'only-for-tests-only-for-tests-only',
    database: memoryAdapter(tables),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error' },
    disabledPaths: ['/token'],
    plugins: [jwt(), provider as never, oauthDeviceAuthorization({ verificationUri: '/device' }) as never],
  }) as unknown as Auth
  for (const name of USERS) await auth.api.signUpEmail({ body: { name, email: emailOf(name), password: passwordOf(name) } })
  return auth
}

/** Returns a function that registers clients by hand, for a resource. */
export async function createRegistry(auth: Auth, identifier: string): Promise<(body: object) => Promise<RegisteredClient>> {
  const [administrator] = USERS
  const body = { email: emailOf(administrator), password: passwordOf(administrator) }
  const login = await auth.api.signInEmail({ body, asResponse: true })
  const headers = new Headers({ cookie: cookiesOf(login) })
  return async (metadata) => {
    const created = await auth.api.adminCreateOAuthClient({ headers, body: { scope: SCOPES.join(' '), ...metadata } })
    const { client_id, client_secret: clientSecret } = created
    await auth.api.adminLinkClientResource({ headers, params: { identifier, client_id } })
    return { clientId: client_id, ...(clientSecret !== undefined && { clientSecret }) }
  }
}

/** Returns the cookies that a response sets, as a browser sends them. */
export function cookiesOf(response: Response): string {
  const lines = response.headers.getSetCookie()
  return lines.map((line) => line.split(';')[0]).join('; ')
}
