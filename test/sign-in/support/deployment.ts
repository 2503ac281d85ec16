import type { AuthProvider } from 'portcall/auth/client'
import { type Client, connect } from 'portcall/client'
import { onTestFinished } from 'vitest'
import { createNotes, reserveUrl, serveNotes } from '../../auth/support/notes.ts'
import type { ForeignServer, RunningServer } from './server.ts'

/** An authorization server, and an MCP server that it protects. */
export interface Deployment extends RunningServer {
  /** The URL of the MCP server. */
  readonly url: string
  readonly title: string
}

/** Starts an authorization server, and a Portcall server that accepts its tokens unless it serves MCP itself. */
export async function deploy({ title, start }: ForeignServer): Promise<Deployment> {
  const place = await reserveUrl()
  const running = await start(place)
  const { issuer, verify } = running
  const notes = verify && (await serveNotes(place.port, { authorizationServers: [issuer], verify, dpop: {} }, createNotes()))
  return {
    ...running,
    url: place.url,
    title,
    async close() {
      await notes?.close()
      await running.close()
    },
  }
}

/** The identity of the caller, as the server reports it. */
export interface Caller {
  readonly principal: string
  readonly scopes: readonly string[]
  readonly clientId?: string
}

/** Connects, calls a tool, and closes the connection: a process of a client. */
export async function call({ url }: Deployment, tool: string, auth: AuthProvider): Promise<string> {
  const client: Client = await connect(url, { auth })
  onTestFinished(() => client.close())
  const result = await client.callTool(tool, {})
  await client.close()
  const [block] = result.content as Array<{ text?: string }>
  if (result.isError) throw new Error(block?.text)
  return block?.text ?? ''
}

export async function whoami(deployment: Deployment, auth: AuthProvider): Promise<Caller> {
  return JSON.parse(await call(deployment, 'whoami', auth))
}
