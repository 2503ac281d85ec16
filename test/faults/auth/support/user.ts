import { type AuthProvider, type BrowserOptions, browser } from 'portcall/auth/client'

/** Somebody who signs in wherever they are sent. */
export interface User {
  readonly auth: AuthProvider
  /** What they were shown, in order. */
  readonly opened: readonly string[]
}

export interface UserOptions extends BrowserOptions {
  /** Changes the address that the user comes back to; nothing: they do not come back. */
  readonly onReturn?: (url: URL) => URL | undefined
}

/** Makes a user whose browser has no window. */
export function createUser({ onReturn = (url) => url, ...options }: UserOptions = {}): User {
  const opened: string[] = []
  const open = async (url: URL): Promise<void> => {
    opened.push(url.href)
    const response = await fetch(url, { redirect: 'manual' })
    const location = response.headers.get('location')
    const back = location === null ? undefined : onReturn(new URL(location))
    if (back) await fetch(back).then((page) => page.text())
  }
  return { opened, auth: browser({ timeoutMs: 1500, open, ...options }) }
}
