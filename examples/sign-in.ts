/** Using servers that want to know who calls. */
import {
  AuthError,
  type BrowserOptions,
  browser,
  clientCredentials,
  type DeviceCode,
  device,
  fileStore,
  interactive,
  token,
} from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

// #region browser
/** Uses a server in the name of whoever sits at this machine, who signs in once. */
export function connectByBrowser(url: string, folder: string, options: BrowserOptions = {}): Promise<Client> {
  const auth = browser({ clientName: 'Notes', store: fileStore(`${folder}/tokens.json`), ...options })
  return connect(url, { auth })
}
// #endregion

// #region device
/** The same where there is no browser: the user signs in on another device. */
export function connectByDevice(url: string, show: (text: string) => Promise<void>): Promise<Client> {
  const prompt = ({ userCode, verificationUri }: DeviceCode): Promise<void> =>
    show(`Open ${verificationUri.href} and type in ${userCode}`)
  return connect(url, { auth: device({ clientName: 'Notes', prompt }) })
}
// #endregion

// #region interactive
/** The same in a program that shows pages in its own way: `showPage` resolves to the address at which the user came back. */
export function connectByPage(url: string, showPage: (url: URL, signal: AbortSignal) => Promise<string>): Promise<Client> {
  const redirectUri = 'https://app.example.com/signed-in'
  const auth = interactive({ redirectUri, authorize: (page, { signal }) => showPage(page, signal) })
  return connect(url, { auth })
}
// #endregion

// #region machine
/** Uses a server in the name of this program, which is registered by hand. */
export function connectAsProgram(url: string, clientId: string, clientSecret: string): Promise<Client> {
  return connect(url, { auth: clientCredentials({ client: { clientId, clientSecret } }) })
}
// #endregion

// #region token
/** Uses a server with tokens that come from elsewhere. */
export function connectWithTokens(url: string, readToken: (isRefused: boolean) => Promise<string>): Promise<Client> {
  return connect(url, { auth: token(({ refused }) => readToken(refused !== undefined)) })
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
