/**
 * A gateway with accounts of its users and two workers, none of which has a store: `PORT=… ISSUER=… UPSTREAM=… node login-workers.mjs`. Each
 * request of a browser prints the method, the path and the number of the worker.
 */
import { jwt, protect } from 'portcall/auth/server'
import { browserLogin, createGateway, userAccounts } from 'portcall/gateway'
import { serve, workerNumber } from 'portcall/node'

const { PORT, ISSUER: issuer, UPSTREAM: target } = process.env
const origin = `http://127.0.0.1:${PORT}`
const resource = `${origin}/mcp`
const protection = protect({
  resource,
  authorizationServers: [issuer],
  verify: jwt({ issuer, jwksUri: `${issuer}/jwks` }),
})
const identify = browserLogin({ origin, issuer, resource, authenticate: protection.authenticate })
const accounts = userAccounts({ origin, servers: { notes: {} }, identify })
const gateway = createGateway({
  servers: { notes: { target, credentials: accounts.credentials } },
  middleware: [accounts.middleware],
})
await serve(gateway, {
  ...protection,
  port: Number(PORT),
  workers: 2,
  onRequest(request) {
    const [path] = request.target.split('?')
    if (path.startsWith('/connect/')) console.log(`${request.method} ${path} ${workerNumber}`)
    return accounts.onRequest(request) ?? protection.onRequest(request)
  },
})
if (workerNumber === undefined) console.log('ready')
