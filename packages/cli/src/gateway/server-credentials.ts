import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Middleware } from 'portcall'
import { type AuthProvider, bearerToken, clientCredentials } from 'portcall/auth/client'
import { type CredentialsProvider, callerIdentity, type GatewayConfig, type GatewayServerAuth } from 'portcall/gateway'
import type { OnRequest } from 'portcall/http'
import { usageError } from '../cli-error.ts'
import { createStoredCredentials } from './credentials.ts'
import { createAccounts, type UserAccountsContext } from './user-accounts.ts'

/** The credentials of all servers of a gateway. */
export interface ServerCredentials {
  readonly credentials: CredentialsProvider
  readonly middleware: readonly Middleware[]
  /** Serves the pages on which users connect accounts. Absent if no server needs them. */
  readonly onRequest: OnRequest | undefined
}

/** Facts about the process when the credentials are created. */
export interface CredentialsContext extends UserAccountsContext {
  /** The directory of the configuration, where relative paths start. */
  readonly directory: string
}

/** Reports whether users sign in to a server of a configuration with accounts of their own. */
export function needsAccounts({ settings }: Pick<GatewayConfig, 'settings'>): boolean {
  return Object.values(settings.serverAuth ?? {}).some(({ type }) => type === 'user')
}

/** Creates the credentials of the servers of a configuration. Servers without any get the tokens of `portcall login`. */
export function createServerCredentials(config: GatewayConfig, context: CredentialsContext): ServerCredentials {
  assertUrls(config)
  const entries = Object.entries(config.settings.serverAuth ?? {})
  const accounts = needsAccounts(config) ? createAccounts(config, context) : undefined
  const exchanges = new Map(
    entries.flatMap(([server, auth]) =>
      auth.type === 'token-exchange' ? [[server, callerIdentity(exchangeOptionsOf(auth))] as const] : [],
    ),
  )
  const shared = createSharedCredentials(config, context.directory)
  return {
    async credentials(request) {
      const own = (await exchanges.get(request.server)?.credentials(request)) ?? (await accounts?.credentials(request))
      return own ?? shared(request)
    },
    middleware: [...[...exchanges.values()].map(({ middleware }) => middleware), ...(accounts ? [accounts.middleware] : [])],
    onRequest: accounts?.onRequest,
  }
}

/** Creates the credentials that are the same for all callers: those of the configuration, or else the tokens of `portcall login`. */
export function createSharedCredentials({ settings }: GatewayConfig, directory: string): CredentialsProvider {
  const providers = new Map(
    Object.entries(settings.serverAuth ?? {}).flatMap(([server, auth]) => {
      const provider = createSharedProvider(auth, directory)
      return provider ? [[server, { auth: provider }] as const] : []
    }),
  )
  const stored = createStoredCredentials()
  return (request) => providers.get(request.server) ?? stored(request)
}

function assertUrls({ settings, options }: GatewayConfig): void {
  for (const name of Object.keys(settings.serverAuth ?? {})) {
    const server = options.servers[name]
    const target = typeof server === 'object' && 'target' in server ? server.target : server
    if (!(target instanceof URL))
      throw usageError(`gateway.servers.${name}.auth: the server is a program, not a URL`, 'pass credentials to it with env')
  }
}

/** Creates the provider of credentials that are the same for all callers. */
function createSharedProvider(auth: GatewayServerAuth, directory: string): AuthProvider | undefined {
  const { type, token, file } = auth
  if (type === 'client-credentials') return clientCredentials(exchangeOptionsOf(auth))
  if (type !== 'bearer') return undefined
  if (file === undefined) return bearerToken(() => token ?? '')
  return createFileToken(resolve(directory, file))
}

/** Sends the token in a file, and reads the file again when the server refuses the token. */
function createFileToken(path: string): AuthProvider {
  const read = (): string => readFileSync(path, 'utf8').trim()
  let current: string | undefined
  return bearerToken(({ rejectedToken }) => {
    if (current === undefined || rejectedToken !== undefined) current = read()
    return current
  })
}

function exchangeOptionsOf({ clientId = '', clientSecret = '', issuer = '', scopes, parameters }: GatewayServerAuth) {
  return {
    client: { clientId, clientSecret, issuer },
    ...(scopes && { scopes }),
    ...(parameters && { parameters }),
  }
}
