import { createBrowser, type Page, type TestBrowser } from './browser.ts'
import type { ProxyServer } from './proxy-server.ts'

/** Opens the consent page as a user of a new client. */
export async function openConsentPage(
  proxy: ProxyServer,
  browser: TestBrowser = createBrowser(proxy.origin),
): Promise<{ browser: TestBrowser; page: Page; id: string }> {
  const { id } = await proxy.register()
  return { browser, id, page: await browser.get(await proxy.authorizationUrl(id)) }
}

/** Consents and signs in at the identity provider. Returns the callback URL, which has not been requested yet. */
export async function signInUpstream(proxy: ProxyServer): Promise<{ browser: TestBrowser; id: string; callbackUrl: string }> {
  const { browser, page, id } = await openConsentPage(proxy)
  const denied = await browser.press(page, 'allow')
  const signedIn = await browser.get(denied.location!)
  return { browser, id, callbackUrl: signedIn.location! }
}

/** Signs in and returns the authorization code of the client. */
export async function obtainCode(proxy: ProxyServer): Promise<{ id: string; code: string }> {
  const { browser, id, callbackUrl } = await signInUpstream(proxy)
  const returned = await browser.get(callbackUrl)
  return { id, code: new URL(returned.location!).searchParams.get('code')! }
}

/** Returns the parameters of a redirect. */
export const redirectParameters = ({ location }: Page): Record<string, string> =>
  Object.fromEntries(new URL(location!).searchParams)
