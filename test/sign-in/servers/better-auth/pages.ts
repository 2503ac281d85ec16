import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { oauthProviderAuthServerMetadata } from '@better-auth/oauth-provider'
import { type Auth, cookiesOf } from './auth.ts'

const LOGIN = '<form method="post"><input name="email"><input type="password" name="password"><button>Log in</button></form>'
const CONSENT = '<form method="post"><button name="accept" value="true">Agree</button></form>'
const DEVICE =
  '<form method="post"><input name="user_code"><input name="email"><input type="password" name="password"><button>Connect</button></form>'

/** Serves the pages that an application with better-auth has to write: login, consent and device. */
export function createPages({ auth, origin }: { readonly auth: Auth; readonly origin: string }) {
  const metadata = oauthProviderAuthServerMetadata(auth as never)

  /** Calls the API of better-auth as the page of a browser does. */
  const post = (path: string, body: object, cookie: string): Promise<Response> =>
    auth.handler(
      new Request(`${origin}/api/auth${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, cookie },
        body: JSON.stringify(body),
      }),
    )
  const redirect = async (answer: Response, response: ServerResponse): Promise<void> => {
    const { url } = await answer
      .clone()
      .json()
      .catch(() => ({}))
    if (!answer.ok || url === undefined) return void response.writeHead(400).end(await answer.text())
    response.writeHead(302, { location: new URL(url, origin).href, 'set-cookie': answer.headers.getSetCookie() }).end()
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', origin)
    const { cookie = '' } = request.headers
    if (url.pathname.startsWith('/.well-known/oauth-authorization-server')) {
      const answer = await metadata(new Request(url))
      return void response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    }
    const page = { '/login': LOGIN, '/consent': CONSENT, '/device': DEVICE }[url.pathname]
    if (page === undefined) return void response.writeHead(404).end('Not found')
    if (request.method !== 'POST') return void response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    const oauth_query = url.search.slice(1)
    const { email, password } = form
    if (url.pathname === '/login')
      return redirect(await post('/sign-in/email', { email, password, oauth_query }, cookie), response)
    if (url.pathname === '/consent')
      return redirect(await post('/oauth2/consent', { accept: true, oauth_query }, cookie), response)
    const login = await post('/sign-in/email', { email, password }, '')
    const session = cookiesOf(login)
    const code = encodeURIComponent(form['user_code'] ?? '')
    await auth.handler(new Request(`${origin}/api/auth/device?user_code=${code}`, { headers: { cookie: session } }))
    const approval = await post('/device/approve', { userCode: form['user_code'] }, session)
    response.writeHead(approval.status).end(await approval.text())
  }
}
