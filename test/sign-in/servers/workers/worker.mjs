/** A worker: MCP with Portcall, protected by workers-oauth-provider. */
import { insufficientScope, OAuthProvider } from '@cloudflare/workers-oauth-provider'
import { createServer } from 'portcall'
import { httpHandler } from 'portcall/http'

const LOGIN = '<form method="post"><input name="username"><input type="password" name="password"><button>Log in</button></form>'
const CALLER = 'x-verified-caller'

const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', {}, (_, { auth }) => JSON.stringify(auth))
server.tool('write', {}, () => 'written')
const serve = httpHandler(server, { authenticate: (request) => JSON.parse(request.header(CALLER)) })

const apiHandler = {
  async fetch(request, env, { auth, props }) {
    const required = (await request.clone().text()).includes('"name":"write"') ? env.SCOPES : env.SCOPES.slice(0, 1)
    if (!required.every((scope) => auth.scope.includes(scope))) return insufficientScope(auth, required)
    const caller = { principal: props.user, clientId: auth.clientId, scopes: auth.scope }
    const headers = new Headers(request.headers)
    headers.set(CALLER, JSON.stringify(caller))
    return serve(new Request(request, { headers }))
  },
}

/** The sign-in page, which a worker has to write itself. */
const defaultHandler = {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/ready') return new Response('ready')
    if (pathname === '/clients') return Response.json(await env.OAUTH_PROVIDER.createClient(await request.json()))
    if (pathname !== '/authorize') return new Response('Not found', { status: 404 })
    const wanted = await env.OAUTH_PROVIDER.parseAuthRequest(new Request(request.url))
    if (request.method !== 'POST') return new Response(LOGIN, { headers: { 'content-type': 'text/html' } })
    const form = await request.formData()
    const user = form.get('username')
    if (env.PASSWORDS[user] !== form.get('password')) return new Response('Wrong password', { status: 403 })
    const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({
      request: wanted,
      userId: user,
      metadata: {},
      scope: wanted.scope,
      props: { user },
    })
    return Response.redirect(redirectTo, 302)
  },
}

let provider
export default {
  fetch(request, env, context) {
    provider ??= new OAuthProvider({
      apiRoute: '/mcp',
      apiHandler,
      defaultHandler,
      authorizeEndpoint: '/authorize',
      tokenEndpoint: '/token',
      clientRegistrationEndpoint: '/register',
      scopesSupported: [...env.SCOPES, 'offline_access'],
      requiredScopes: env.SCOPES.slice(0, 1),
      resourceMetadata: { resource: `${env.ORIGIN}/mcp`, authorization_servers: [env.ORIGIN] },
    })
    return provider.fetch(request, env, context)
  },
}
