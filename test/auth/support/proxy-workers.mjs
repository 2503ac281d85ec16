/**
 * A server with an OAuth proxy and two workers, none of which has a store: `PORT=… ISSUER=… node proxy-workers.mjs`. Each request outside the
 * endpoint prints the method, the path and the number of the worker.
 */
import { createServer } from 'portcall'
import { oauthProxy } from 'portcall/auth/proxy'
import { protect } from 'portcall/auth/server'
import { serve, workerNumber } from 'portcall/node'

const { PORT, ISSUER } = process.env
const resource = `http://127.0.0.1:${PORT}/mcp`
const upstream = {
  issuer: ISSUER,
  authorizationEndpoint: `${ISSUER}/auth`,
  tokenEndpoint: `${ISSUER}/token`,
  clientId: 'notes',
  clientSecret: 's3cret',
  scopes: ['openid'],
}
const identify = ({ idToken }) => ({ subject: JSON.parse(Buffer.from(idToken.split('.')[1], 'base64url')).sub })
const server = createServer({ name: 'notes', version: '1.0.0' })
server.tool('whoami', {}, (_, { auth }) => `${auth.subject} at ${workerNumber}`)

const protection = protect({ resource, verify: oauthProxy({ resource, upstream, identify }) })
await serve(server, {
  ...protection,
  port: Number(PORT),
  workers: 2,
  onRequest(request) {
    const [path] = request.target.split('?')
    if (path !== '/mcp') console.log(`${request.method} ${path} ${workerNumber}`)
    return protection.onRequest(request)
  },
})
if (workerNumber === undefined) console.log('ready')
