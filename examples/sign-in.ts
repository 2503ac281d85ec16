/** Using a server in the name of whoever sits at this machine. */
import { AuthError, type BrowserOptions, browser, fileStore } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

// #region browser
/** Uses a server in the name of whoever sits at this machine, who signs in once. */
export function connectByBrowser(url: string, folder: string, options: BrowserOptions = {}): Promise<Client> {
  const auth = browser({ clientName: 'Notes', store: fileStore(`${folder}/tokens.json`), ...options })
  return connect(url, { auth })
}
// #endregion

// #region errors
/** Says in words why a user is not signed in. */
export function explain(error: unknown): string {
  if (!(error instanceof AuthError)) throw error
  if (error.fault === 'denied' || error.fault === 'timed_out') return 'You did not sign in.'
  return `Signing in is not possible: ${error.message}`
}
// #endregion
