/** Signing in on another device, or in a custom UI. */
import { authorizationCode, type DeviceAuthorization, deviceCode } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'

// #region device
/** Signs in without a browser: the user signs in on another device. */
export function connectByDevice(url: string, show: (text: string) => Promise<void>): Promise<Client> {
  const prompt = ({ userCode, verificationUri }: DeviceAuthorization): Promise<void> =>
    show(`Open ${verificationUri.href} and type in ${userCode}`)
  return connect(url, { auth: deviceCode({ clientName: 'Notes', prompt }) })
}
// #endregion

// #region interactive
/** Signs in in a custom UI: `showPage` resolves to the redirect URL. */
export function connectByPage(url: string, showPage: (url: URL, signal: AbortSignal) => Promise<string>): Promise<Client> {
  const redirectUri = 'https://app.example.com/signed-in'
  const auth = authorizationCode({ redirectUri, authorize: (page, { signal }) => showPage(page, signal) })
  return connect(url, { auth })
}
// #endregion
