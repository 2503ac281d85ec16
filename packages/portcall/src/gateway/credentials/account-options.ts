import type { SignInOptions } from '../../auth/client/grants/code-grant.ts'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import type { HookRequest, HookResponse, OnRequest } from '../../protocol/http.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { CredentialsProvider } from '../api/options.ts'

/**
 * Accepts every browser that opens a link, without identifying its user. An attacker who gets another user to open a link and sign in can then
 * use that user's account. Use it only where all users trust each other, or where there is only one.
 */
export const insecureAnyBrowser: unique symbol = Symbol('insecureAnyBrowser')

/**
 * Returns the principal of the user of a browser, as `authenticate` of the gateway names it. Returns a response to send instead, such as a
 * redirect to a login page, or nothing if the user is unknown. `browserLogin` creates such a function. Requests of `/connect/login` are passed to
 * it, too: it can send a login there that it has begun.
 */
export type IdentifyBrowser = (
  request: HookRequest,
) => string | HookResponse | undefined | Promise<string | HookResponse | undefined>

/** The sign-in of users to one server. */
export type AccountServerOptions = Omit<SignInOptions, 'account' | 'store' | 'storeTimeoutMs'>

/** Options of `userAccounts`. */
export interface UserAccountsOptions {
  /** The origin of the gateway, as browsers reach it: `https://gateway.example.com`. Register `/connect/callback` there as redirect URI. */
  readonly origin: string | URL
  /** The servers that users sign in to, by their names in the gateway. */
  readonly servers: { readonly [server: string]: AccountServerOptions }
  /** Identifies the user of a browser. Only the user that a link was created for can sign in with it. */
  readonly identify: IdentifyBrowser | typeof insecureAnyBrowser
  /** Keeps tokens and sign-ins, encrypted. All processes of a gateway share it. Default: in memory; in workers, the store that they share. */
  readonly store?: KeyValueStore
  /** Keys that encrypt stored values, as `generateKey` returns them. Required with `store`. The first encrypts; all decrypt. */
  readonly sealingKeys?: readonly string[]
  /** All callers are one user, who need not be authenticated: a gateway on a laptop. Default: false. */
  readonly singleUser?: boolean
  /** Lifetime of a link, in milliseconds. Default: 600,000. */
  readonly signInTtlMs?: number
  /** Time that a call waits for the sign-in before the user is asked again, in milliseconds. Default: 300,000. */
  readonly waitTimeoutMs?: number
  /** Called when a user has signed in to a server. Call `refresh` of the gateway to make clients list the tools of the server. */
  readonly onConnected?: (account: { readonly server: string; readonly principal: string }) => void
  /** The name of the tool with which users connect an account. `false`: there is none. Default: `connect_account`. */
  readonly tool?: string | false
}

/** The accounts of users at the servers of a gateway. */
export interface UserAccounts {
  /** The credentials of the servers. Pass it to `createGateway`. */
  readonly credentials: CredentialsProvider
  /** Waits for sign-ins, and refuses calls of clients that cannot show links. Pass it to `createGateway`. */
  readonly middleware: Middleware
  /** Serves the pages below `/connect`. Call it from the `onRequest` of the HTTP server. */
  readonly onRequest: OnRequest
  /** Reports whether a user has signed in to a server. */
  isConnected(principal: string, server: string): Promise<boolean>
  /** Forgets the tokens of a user at a server. They are not revoked. Other processes notice when their tokens expire. */
  disconnect(principal: string, server: string): Promise<void>
}
