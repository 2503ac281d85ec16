import { type AuthProvider, type BrowserSignInOptions, browserSignIn } from 'portcall/auth/client'

/** A user who signs in at any authorization server. */
export interface User {
  readonly auth: AuthProvider
  /** The pages that were opened, in order. */
  readonly opened: readonly string[]
}

export interface UserOptions extends BrowserSignInOptions {
  /** Changes the redirect to the client. If it returns `undefined`, the user does not return. */
  readonly onReturn?: (url: URL) => URL | undefined
}

/** Creates a user with a headless browser. */
export function createUser({ onReturn = (url) => url, ...options }: UserOptions = {}): User {
  const opened: string[] = []
  const open = async (url: URL): Promise<void> => {
    opened.push(url.href)
    const response = await fetch(url, { redirect: 'manual' })
    const location = response.headers.get('location')
    const redirect = location === null ? undefined : onReturn(new URL(location))
    if (redirect) await fetch(redirect).then((page) => page.text())
  }
  return { opened, auth: browserSignIn({ timeoutMs: 1500, open, ...options }) }
}
