import { setLru } from '../../../../util/src/lru.ts'
import type { AuthorizationCodeOptions, AuthorizationCodeProvider } from '../../auth/client/grants/authorization-code.ts'
import { namespaceStore } from '../../stores/namespace.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { AccountServerOptions } from './account-options.ts'
import type { AccountId } from './sign-ins.ts'

/** An authorization request of an account. */
export interface AccountSignInRequest {
  readonly url: string
  readonly state: string
  readonly signal: AbortSignal
}

export interface AccountProvidersOptions {
  /** A store that encrypts its values. */
  readonly store: KeyValueStore
  readonly servers: { readonly [server: string]: AccountServerOptions }
  readonly redirectUri: string
  readonly signInTtlMs: number
  /** Called when a user has to sign in. Throws what the call fails with. */
  readonly onSignIn: (account: AccountId, request: AccountSignInRequest) => Promise<never>
}

/** The auth providers of all accounts. Each has its own part of the store: no account can read the tokens of another. */
export interface AccountProviders {
  /** Loads the OAuth client, and returns how to get the provider of an account. */
  load(): Promise<(account: AccountId) => AuthorizationCodeProvider>
  /** Deletes the stored values of an account. */
  forget(account: AccountId): Promise<void>
}

/** Providers without requests are forgotten beyond this number; their tokens stay in the store. */
const MAX_PROVIDERS = 10_000
/** The prefixes of the keys of client registrations and of authorization server limits. All users of a server share them. */
const SHARED: readonly string[] = ['portcall:client:', 'portcall:server-limits:']

export function createAccountProviders({ store, ...options }: AccountProvidersOptions): AccountProviders {
  const providers = new Map<string, AuthorizationCodeProvider>()
  const keyOf = ({ server, principal }: AccountId): string => JSON.stringify([server, principal])
  const storeOf = (account: AccountId): KeyValueStore => namespaceStore(store, `account:${keyOf(account)}:`)
  const optionsOf = (account: AccountId): AuthorizationCodeOptions => ({
    ...options.servers[account.server],
    store: shareSome(storeOf(account), namespaceStore(store, `server:${JSON.stringify(account.server)}:`)),
    redirectUri: options.redirectUri,
    signInTtlMs: options.signInTtlMs,
    authorize: (url, { state, signal }) => options.onSignIn(account, { url: url.href, state, signal }),
  })
  return {
    async load() {
      const { authorizationCode } = await import('../../auth/client/grants/authorization-code.ts')
      return (account) => {
        const key = keyOf(account)
        const provider = providers.get(key) ?? authorizationCode(optionsOf(account))
        setLru(providers, [key, provider], MAX_PROVIDERS)
        return provider
      }
    },
    async forget(account) {
      providers.delete(keyOf(account))
      const accountStore = storeOf(account)
      for (let keys = await accountStore.list(''); keys.length > 0; keys = await accountStore.list(''))
        await Promise.all(keys.map((key) => accountStore.delete(key)))
    },
  }
}

/** Returns a store that keeps what users share in another store than everything else. */
function shareSome(own: KeyValueStore, shared: KeyValueStore): KeyValueStore {
  const storeOf = (key: string): KeyValueStore => (SHARED.some((prefix) => key.startsWith(prefix)) ? shared : own)
  return {
    get: (key) => storeOf(key).get(key),
    set: (key, value, setOptions) => storeOf(key).set(key, value, setOptions),
    delete: (key) => storeOf(key).delete(key),
    compareAndSet: (key, change) => storeOf(key).compareAndSet(key, change),
    list: (prefix, listOptions) => storeOf(prefix).list(prefix, listOptions),
    count: (prefix) => storeOf(prefix).count(prefix),
  }
}
