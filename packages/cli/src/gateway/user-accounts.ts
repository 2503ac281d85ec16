import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateKey } from 'portcall'
import { fileStore } from 'portcall/auth/client'
import {
  type AccountServerOptions,
  browserLogin,
  type GatewayAuthSettings,
  type GatewayConfig,
  type GatewayLoginSettings,
  type GatewayServerAuth,
  type IdentifyBrowser,
  insecureAnyBrowser,
  type UserAccounts,
  userAccounts,
} from 'portcall/gateway'
import type { KeyValueStore, Stores } from 'portcall/stores'
import { retryableOnce } from '../../../util/src/async.ts'
import { isSameIssuer } from '../../../util/src/issuer.ts'
import { usageError } from '../cli-error.ts'
import { portcallHome } from '../login/stored-login.ts'
import { createProtectionOptions } from './protection.ts'

export interface UserAccountsContext {
  readonly stores: Stores | undefined
  /** Where tokens are kept, encrypted with these keys, if there are no stores and several users. */
  readonly memory: { readonly store: KeyValueStore; readonly sealingKeys: readonly string[] }
  /** The origin where browsers reach the gateway. */
  readonly origin: string
  /** All callers are the user of this machine. */
  readonly singleUser: boolean
  /** Called when a user has signed in to a server. */
  readonly onConnected: (server: string) => void
  /** Called with the reason why the login of a browser failed. */
  readonly onLoginFailed: (error: unknown) => void
}

/** Creates the accounts of users at the servers of a configuration. */
export function createAccounts({ settings, options }: GatewayConfig, context: UserAccountsContext): UserAccounts {
  const { serverAuth = {}, accounts = {}, auth } = settings
  const { singleUser, onConnected } = context
  if (!auth && !singleUser)
    throw usageError('servers with accounts of users need gateway.auth', 'so that the gateway knows who calls')
  const { tool, signInTtlMs, waitTimeoutMs } = accounts
  const origin = accounts.origin ?? (auth ? new URL(auth.resource).origin : context.origin)
  const storage = storageOf(context, options.sealingKeys)
  return userAccounts({
    origin,
    servers: Object.fromEntries(
      Object.entries(serverAuth).flatMap(([name, each]) => (each.type === 'user' ? [[name, accountOptionsOf(each)]] : [])),
    ),
    identify: singleUser ? insecureAnyBrowser : identifyBy(settings, { storage, origin, onFailure: context.onLoginFailed }),
    singleUser,
    onConnected: ({ server }) => onConnected(server),
    ...storage,
    ...(tool !== undefined && { tool }),
    ...(signInTtlMs !== undefined && { signInTtlMs }),
    ...(waitTimeoutMs !== undefined && { waitTimeoutMs }),
  })
}

function accountOptionsOf({
  clientId,
  clientSecret,
  issuer,
  clientName = 'Portcall gateway',
  scopes,
}: GatewayServerAuth): AccountServerOptions {
  return {
    clientName,
    ...(scopes && { scopes }),
    ...(clientId !== undefined && {
      client: { clientId, ...(clientSecret !== undefined && { clientSecret }), ...(issuer !== undefined && { issuer }) },
    }),
  }
}

type Identify = IdentifyBrowser | typeof insecureAnyBrowser

/** Returns what names the user of a browser as access tokens name callers: `ISSUER#SUBJECT`. */
function identifyBy({ accounts = {}, auth }: GatewayConfig['settings'], context: Omit<LoginContext, 'auth'>): Identify {
  const { identify = {} } = accounts
  if (identify === 'insecure-any-browser' || !auth) return insecureAnyBrowser
  const issuers = (auth.issuers ?? []).map((one) => (typeof one === 'object' ? one.issuer : one))
  const { issuer: named } = identify
  // Principals contain the issuer as it is written in gateway.auth.
  const issuer = issuers.find((one) => named === undefined || isSameIssuer(one, named)) ?? named ?? 'api-key'
  if (!('header' in identify)) return loginAt({ ...identify, issuer }, { auth, ...context })
  const header = identify.header.toLowerCase()
  return (request) => {
    const user = request.header(header)
    return user === undefined ? undefined : `${issuer}#${user}`
  }
}

interface LoginContext {
  readonly auth: GatewayAuthSettings
  readonly origin: string
  readonly storage: BrowserStorage
  /** Receives the reasons of failed logins. */
  readonly onFailure: (error: unknown) => void
}

/** Lets browsers log in at an issuer of the access tokens of callers. */
function loginAt(
  { issuer, clientId, clientSecret, clientMetadataUrl, scopes }: GatewayLoginSettings & { readonly issuer: string },
  { auth, origin, storage, onFailure }: LoginContext,
): IdentifyBrowser {
  const protection = retryableOnce(() => createProtectionOptions(auth))
  return browserLogin({
    origin,
    issuer,
    resource: auth.resource,
    authenticate: async (request) => (await protection.run()).authenticate(request),
    clientName: 'Portcall gateway',
    ...(clientId !== undefined && {
      client: { clientId, issuer, ...(clientSecret !== undefined && { clientSecret }) },
    }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    scopes: scopes ?? auth.scopes ?? [],
    onFailure,
    ...storage,
  })
}

interface BrowserStorage {
  readonly store: KeyValueStore
  readonly sealingKeys: readonly string[]
}

/** Returns where tokens are kept: in the store of the gateway, or else in an encrypted file of the user of this machine. */
function storageOf(
  { stores, memory, singleUser }: UserAccountsContext,
  sealingKeys: readonly string[] | undefined,
): BrowserStorage {
  if (stores && sealingKeys) return { store: stores.store, sealingKeys }
  if (stores || !singleUser) return memory
  const directory = join(portcallHome(), 'accounts')
  return { store: fileStore(join(directory, 'tokens.json')), sealingKeys: [readKey(directory)] }
}

/** Reads the key of this user, and creates it first if there is none. Only the user can read it. */
function readKey(directory: string): string {
  const path = join(directory, 'key')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(path, generateKey(), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(path, 'utf8').trim()
}
