/** Signing in the user of this machine with a browser. */
import { AuthError, type BrowserSignInOptions, browserSignIn, fileStore } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

// #region browser
/** Uses a server on behalf of the user of this machine, who signs in once. */
export function connectByBrowser(url: string, folder: string, options: BrowserSignInOptions = {}): Promise<Client> {
  const auth = browserSignIn({ clientName: 'Notes', store: fileStore(`${folder}/tokens.json`), ...options })
  return connect(url, { auth })
}
// #endregion

// #region errors
/** Explains why the user is not signed in. */
export function explain(error: unknown): string {
  if (!(error instanceof AuthError)) throw error
  if (error.reason === 'denied' || error.reason === 'timed_out') return 'You did not sign in.'
  return `Signing in is not possible: ${error.message}`
}
// #endregion
