import { type AuthProvider, type BrowserSignInOptions, browserSignIn } from 'portcall/auth/client'
import { type KeyValueStore, memoryStores } from 'portcall/stores'
import { createBrowser, type Page } from '../../auth/support/browser.ts'
import { emailOf, passwordOf, type UserName } from './server.ts'

/** A user at a browser, which keeps the session of the authorization server. */
export interface User {
  /** The pages on which the sign-ins ended. */
  readonly pages: readonly Page[]
  /** The authorization requests of the client. */
  readonly requests: readonly URL[]
  /** Opens a page, logs in and agrees to everything. */
  open(url: URL): Promise<void>
  /** Creates a provider for a new process of the client. */
  signIn(options?: BrowserSignInOptions): AuthProvider
}

/** A store whose tokens can be made to expire. */
export interface AgingStore extends KeyValueStore {
  /** Ends the life of all access tokens, for the client. */
  expireTokens(): Promise<void>
}

const TIMEOUT_MS = 60_000

export interface UserOptions {
  readonly store: KeyValueStore
  /** Leaves error pages without telling anyone, as users do. Otherwise, they are errors. */
  readonly isSilent?: boolean
}

export function createUser(name: UserName, { store, isSilent = false }: UserOptions): User {
  const browser = createBrowser({ answers: answersOf(name) })
  const pages: Page[] = []
  const requests: URL[] = []
  const open = async (url: URL): Promise<void> => {
    requests.push(url)
    const page = await browser.open(url.href)
    pages.push(page)
    const isBack = page.url.startsWith(url.searchParams.get('redirect_uri') ?? 'http')
    if (!isBack && !isSilent) throw new Error(`The sign-in ended at ${page.url} with ${page.status}: ${page.html.slice(0, 2000)}`)
  }
  return {
    pages,
    requests,
    open,
    signIn: (options) => browserSignIn({ clientName: 'Notes', account: name, store, timeoutMs: TIMEOUT_MS, open, ...options }),
  }
}

/** Returns the values of the fields that login pages have. */
export function answersOf(name: UserName): Readonly<Record<string, string>> {
  return { login: name, username: name, email: emailOf(name), password: passwordOf(name) }
}

export function createAgingStore(): AgingStore {
  const { store } = memoryStores()
  const keys = new Set<string>()
  return {
    ...store,
    async set(key, ...rest) {
      keys.add(key)
      return store.set(key, ...rest)
    },
    async expireTokens() {
      for (const key of keys) {
        const text = key.startsWith('portcall:tokens:') && !key.endsWith(':lock') ? await store.get(key) : undefined
        if (text !== undefined) await store.set(key, JSON.stringify({ ...JSON.parse(text), expiresAt: Date.now() }))
      }
    },
  }
}
