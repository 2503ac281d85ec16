import { inspect } from 'node:util'
import type { Server } from 'portcall'
import { jwt, type ProtectOptions, protect } from 'portcall/auth/server'
import type { ServeOptions } from 'portcall/node'
import { freePort } from '../../support/free-port.mjs'

/** How the server is protected. */
export interface Guarding {
  readonly issuer: string
  readonly options?: Partial<Pick<ProtectOptions, 'dpop' | 'scopes' | 'clockToleranceS'>>
}

/** Protects the server at a port that is free, with the tokens of an issuer. */
export async function guard({ issuer, options }: Guarding): Promise<ServeOptions> {
  const port = await freePort()
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks`, clockToleranceS: 0, keyPauseMs: 0 })
  const resource = `http://127.0.0.1:${port}/mcp`
  return { port, ...protect({ resource, authorizationServers: [issuer], verify, clockToleranceS: 0, ...options }) }
}

/** Adds a tool that shows all that a handler knows of its caller. */
export function addAuthTool(server: Server): void {
  server.tool('auth', {}, (_, call) => inspect(call.auth, { depth: 10 }))
}
