import { randomId } from '../../../../util/src/random.ts'
import { pathOf, queryOf } from '../../../../util/src/request-target.ts'
import { isAuthError } from '../../protocol/authorizer.ts'
import type { HookRequest, HookResponse, OnRequest } from '../../protocol/http.ts'
import { type IdentifyBrowser, insecureAnyBrowser } from './account-options.ts'
import { type BrowserCookie, createBrowserCookie } from './browser-cookie.ts'
import { CALLBACK_PATH, CONNECT_PATH, connectPage, LOGIN_PATH, messagePage, redirectTo } from './connect-page.ts'
import type { AccountId, AccountSignIn, AccountSignIns } from './sign-ins.ts'

export interface ConnectHookOptions {
  readonly origin: URL
  readonly identify: IdentifyBrowser | typeof insecureAnyBrowser
  readonly signIns: AccountSignIns
  readonly signInTtlMs: number
  /** Exchanges the response of an authorization server for tokens, and stores them. */
  readonly redeem: (account: AccountId, response: URLSearchParams) => Promise<void>
}

const COOKIE = 'portcall-connect'
const EXPIRED = messagePage(404, 'This link has expired', 'It was used before, or it is too old. Start again where you found it.')
const OTHER_USER = messagePage(403, 'This link belongs to somebody else', 'Only the user who asked for it can use it.')
const UNKNOWN_USER = messagePage(401, 'Log in first', 'Log in to this service in this browser, then open the link again.')
const OTHER_BROWSER = messagePage(409, 'Continue in the other browser', 'This link was opened in another browser before.')
const OTHER_ORIGIN = messagePage(403, 'Not allowed', 'The form was sent by another site.')

/** Serves the pages that lead users to the sign-in of a server, and receives them when they return. */
export function createConnectHook(options: ConnectHookOptions): OnRequest {
  const { origin } = options
  const context: ConnectContext = { ...options, cookie: createBrowserCookie(COOKIE, origin) }
  const respond = async (request: HookRequest, path: string): Promise<HookResponse> => {
    if (path === CALLBACK_PATH) return finishSignIn(request, context)
    return path === LOGIN_PATH ? finishLogin(request, context) : openLink(request, path, context)
  }
  return (request) => {
    const path = pathOf(request.target)
    return path.startsWith(CONNECT_PATH) ? respond(request, path) : undefined
  }
}

interface ConnectContext extends ConnectHookOptions {
  readonly cookie: BrowserCookie
}

/** Passes on the browser that returns from a login to what identifies users. */
async function finishLogin(request: HookRequest, { identify }: ConnectContext): Promise<HookResponse> {
  const response = identify === insecureAnyBrowser ? undefined : await identify(request)
  return typeof response === 'object' ? response : EXPIRED
}

/** GET shows the user and the server; POST redirects the browser. Link previews do not use a link up. */
async function openLink(request: HookRequest, path: string, context: ConnectContext): Promise<HookResponse> {
  const { signIns, cookie, signInTtlMs, origin } = context
  if (request.method !== 'GET' && request.method !== 'POST') return { status: 405, headers: { allow: 'GET, POST' } }
  const signIn = await signIns.findByLink(path.slice(CONNECT_PATH.length))
  if (!signIn) return EXPIRED
  const refusal = await checkUser(request, signIn, context)
  if (refusal) return refusal
  if (request.method === 'GET') return connectPage({ ...signIn, host: new URL(signIn.url).host })
  if (isFromOtherOrigin(request, origin)) return OTHER_ORIGIN
  const browser = cookie.read(request) ?? randomId()
  if (!(await signIns.open(signIn, browser))) return OTHER_BROWSER
  return redirectTo(signIn.url, { 'set-cookie': cookie.write(browser, signInTtlMs) })
}

/** Returns a response if the user of the browser is not the one that the sign-in belongs to. */
async function checkUser(
  request: HookRequest,
  { principal }: AccountSignIn,
  { identify }: ConnectContext,
): Promise<HookResponse | undefined> {
  if (identify === insecureAnyBrowser) return undefined
  const user = await identify(request)
  if (typeof user === 'object') return user
  if (user === undefined) return UNKNOWN_USER
  return user === principal ? undefined : OTHER_USER
}

function isFromOtherOrigin(request: HookRequest, { origin }: URL): boolean {
  return (request.header('origin') ?? origin) !== origin
}

/** Receives the browser that returns from the authorization server. It has to be the one that opened the link. */
async function finishSignIn(request: HookRequest, { signIns, cookie, redeem }: ConnectContext): Promise<HookResponse> {
  if (request.method !== 'GET') return { status: 405, headers: { allow: 'GET' } }
  const parameters = queryOf(request.target)
  const signIn = await signIns.findByState(parameters.get('state') ?? '')
  if (signIn?.status !== 'opened') return EXPIRED
  const browser = cookie.read(request)
  if (browser === undefined || !(await signIns.open(signIn, browser))) return OTHER_BROWSER
  const { server } = signIn
  try {
    const isFinished = await signIns.finish(signIn, () => redeem(signIn, parameters))
    if (!isFinished) return EXPIRED
  } catch (error) {
    const reason = isAuthError(error) ? error.message : 'Try again later.'
    return messagePage(400, `${server} is not connected`, reason)
  }
  return messagePage(200, `${server} is connected`, 'You can close this page. Requests that waited for it continue now.')
}
