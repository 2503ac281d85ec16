/** Signing in on another device, or by a page of your own. */
import { type DeviceCode, device, interactive } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

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
