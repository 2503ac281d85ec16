import type { Server } from 'portcall'
import { jwt, protect } from 'portcall/auth/server'
import { serve } from 'portcall/node'
import { authorizationServer } from 'portcall/testing'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../support/free-port.mjs'

/** Serves a server to callers with an access token, until the test ends. Returns its URL. */
export async function serveProtected(server: Server, options: Parameters<typeof authorizationServer>[0] = {}): Promise<string> {
  const login = await authorizationServer(options)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const verify = jwt({ issuer: login.issuer, jwksUri: `${login.issuer}/jwks` })
  const guard = protect({ resource: url, authorizationServers: [login.issuer], verify })
  const served = await serve(server, { ...guard, port, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(async () => {
    await served.close()
    await login.close()
  })
  return url
}
