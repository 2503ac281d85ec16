import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { AuthError } from '../../auth/client/errors.ts'
import { applyMiddleware, type ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import { namespaceStore } from '../../stores/namespace.ts'
import { openStore } from '../../stores/open-store.ts'
import { sealerKeys } from '../../stores/sealing/key-ring.ts'
import { createSealer } from '../../stores/sealing/seal.ts'
import { sealStore } from '../../stores/sealing/sealed-store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { UserAccounts, UserAccountsOptions } from './account-options.ts'
import { type AccountProviders, createAccountProviders } from './account-providers.ts'
import { createConnectHook } from './connect-hook.ts'
import { CALLBACK_PATH, CONNECT_PATH } from './connect-page.ts'
import { createConnectTool } from './connect-tool.ts'
import { createSignInMiddleware, signInRequired } from './sign-in-middleware.ts'
import { type AccountId, createAccountSignIns } from './sign-ins.ts'

const SIGN_IN_TTL_MS = 600_000
const WAIT_TIMEOUT_MS = 300_000
const OPTIONS: OptionNames<UserAccountsOptions> = {
  origin: 1,
  servers: 'object',
  identify: 1,
  store: 'store',
  sealingKeys: 'texts',
  singleUser: 'boolean',
  signInTtlMs: SIGN_IN_TTL_MS,
  waitTimeoutMs: WAIT_TIMEOUT_MS,
  onConnected: 1,
  tool: 1,
}
const REQUIRED = {
  origin: 'Pass the origin of the gateway, as browsers reach it',
  servers: 'Pass the servers that users sign in to, by name',
  identify: 'Pass a function that identifies the user of a browser, as browserLogin creates it',
}
const STORE_TIMEOUT_MS = 30_000
/** Time for another process to redeem a response, in milliseconds. */
const FINISH_TIMEOUT_MS = 10_000
const TOOL = 'connect_account'
/** The principal of the only user of a gateway without authentication. */
const SINGLE_USER = ''

/**
 * Gives each user of a gateway their own account at each server. The gateway asks the user to sign in when a call needs it, keeps the
 * tokens encrypted, and refreshes them. The tokens of a user are used for requests of this user only.
 *
 * @throws TypeError if an option is invalid.
 *
 * @example
 * const accounts = userAccounts({ origin: 'https://gateway.example.com', servers: { notes: {} }, identify, store, sealingKeys })
 * const { credentials, middleware } = accounts
 * const gateway = createGateway({ servers: { notes: { target: 'https://notes.example.com/mcp', credentials } }, middleware: [middleware] })
 */
export function userAccounts(options: UserAccountsOptions): UserAccounts {
  checkOptions('userAccounts()', options, { names: OPTIONS, required: REQUIRED })
  const { servers, identify, singleUser = false, signInTtlMs = SIGN_IN_TTL_MS, waitTimeoutMs = WAIT_TIMEOUT_MS } = options
  const origin = parseOrigin(options.origin)
  const store = openSealedStore(options)
  const signIns = createAccountSignIns(store, signInTtlMs)
  const providers: AccountProviders = createAccountProviders({
    store,
    servers,
    redirectUri: origin.origin + CALLBACK_PATH,
    signInTtlMs,
    async onSignIn(account, request) {
      const signIn = await signIns.offer(account, request)
      // The tokens are about to be stored: this attempt fails, and then finds them.
      if (signIn.status === 'finishing') await signIns.wait(signIn, { timeoutMs: FINISH_TIMEOUT_MS, signal: request.signal })
      throw signInRequired(signIn, urlOf(signIn.link))
    },
  })
  const urlOf = (link: string): string => origin.origin + CONNECT_PATH + link
  const connectedKey = ({ server, principal }: AccountId): string => `connected:${JSON.stringify([server, principal])}`
  const accountOf = (server: string, principal: string | undefined): AccountId | undefined => {
    const user = singleUser ? SINGLE_USER : principal
    return user !== undefined && Object.hasOwn(servers, server) ? { server, principal: user } : undefined
  }
  const ofCaller = (server: string, { auth }: Pick<ExchangeContext, 'auth'>): AccountId | undefined =>
    accountOf(server, auth?.principal)
  const isConnected = async (account: AccountId): Promise<boolean> => (await store.get(connectedKey(account))) !== undefined
  const waiting = createSignInMiddleware({ signIns, waitTimeoutMs, accountOf: ofCaller })
  /** Deletes a link that nobody needs any more: the tokens arrived while it was offered. */
  const withdraw = async (account: AccountId): Promise<void> => {
    const signIn = await signIns.current(account)
    if (signIn?.status === 'offered') await signIns.withdraw(signIn)
  }
  const { tool = TOOL } = options
  const connectTool =
    tool === false
      ? []
      : [createConnectTool({ name: tool, servers: Object.keys(servers), signIns, urlOf, accountOf: ofCaller, isConnected })]
  const layers = [waiting, ...connectTool]

  return {
    async credentials({ server, principal }) {
      if (!Object.hasOwn(servers, server)) return undefined
      const account = accountOf(server, principal)
      if (!account) throw new AuthError('denied', `Callers of ${server} must be authenticated: each uses an account of their own`)
      const providerOf = await providers.load()
      return {
        auth: delegate(
          () => providerOf(account),
          () => withdraw(account),
        ),
      }
    },
    middleware: (request, context, next) => applyMiddleware(next, layers)(request, context),
    onRequest: createConnectHook({
      origin,
      identify,
      signIns,
      signInTtlMs,
      async redeem(account, response) {
        const providerOf = await providers.load()
        await providerOf(account).finishSignIn(response)
        await store.set(connectedKey(account), new Date().toISOString())
        const { server, principal } = account
        options.onConnected?.({ server, principal })
      },
    }),
    async isConnected(principal, server) {
      const account = accountOf(server, principal)
      return account !== undefined && isConnected(account)
    },
    async disconnect(principal, server) {
      const account = accountOf(server, principal)
      if (!account) return
      await store.delete(connectedKey(account))
      await providers.forget(account)
    },
  }
}

/** Returns a provider that looks up the current one for each request: connections notice a replacement. */
function delegate(current: () => AuthProvider, onNewToken: () => Promise<void>): AuthProvider {
  return {
    authorizer: (endpoint) => ({
      headers: (request) => current().authorizer(endpoint).headers(request),
      async onResponse(response, sent) {
        const hasNewToken = await current().authorizer(endpoint).onResponse(response, sent)
        if (hasNewToken) await onNewToken()
        return hasNewToken
      },
    }),
  }
}

function parseOrigin(text: string | URL): URL {
  const url = new URL(text)
  if (url.pathname !== '/' || url.search || url.hash)
    throw new TypeError(`origin must be an origin, such as ${url.origin}: ${url.href}`)
  return url
}

function openSealedStore({ store, sealingKeys }: UserAccountsOptions): KeyValueStore {
  if (store && !sealingKeys) throw new TypeError('Pass sealingKeys with store: they encrypt the tokens in it')
  const sealer = createSealer(sealerKeys(sealingKeys))
  return sealStore(namespaceStore(openStore(store, STORE_TIMEOUT_MS), 'portcall:gateway:'), sealer)
}
