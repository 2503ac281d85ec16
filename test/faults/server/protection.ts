import { inspect } from 'node:util'
import type { Server } from 'portcall'
import { jwt, type ProtectOptions, protect } from 'portcall/auth/server'
import type { ServeOptions } from 'portcall/node'
import { freePort } from '../../support/free-port.mjs'

/** How the server is protected. */
export interface ProtectionOptions {
  readonly issuer: string
  readonly options?: Partial<Pick<ProtectOptions, 'dpop' | 'scopes' | 'clockToleranceMs'>>
}

/** Returns options that protect the server, on a free port, with the tokens of an issuer. */
export async function protectServer({ issuer, options }: ProtectionOptions): Promise<ServeOptions> {
  // Workers inherit the port of the process that listens.
  const port = Number((process.env.FAULTS_PORT ??= String(await freePort())))
  const verify = jwt({ issuer, jwksUri: `${issuer}/jwks`, clockToleranceMs: 0, jwksCooldownDelayMs: 0 })
  const resource = `http://127.0.0.1:${port}/mcp`
  return { port, ...protect({ resource, authorizationServers: [issuer], verify, clockToleranceMs: 0, ...options }) }
}

/** Adds a tool that returns everything a handler receives about its caller. */
export function addAuthTool(server: Server): void {
  server.tool('auth', {}, (_, call) => inspect(call.auth, { depth: 10 }))
}
