import type { Server } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import type { Head } from '../support/recorder.ts'
import { startProxy } from '../support/recording-proxy.ts'
import { type HostExit, type HostProgram, runHost } from './host-program.ts'
import { type ModelReply, type ModelRequest, startModelApi } from './model-api/model-api.ts'

/** The events of a run of a host. */
export interface HostSession {
  /** The requests to the model that offer tools of the server. */
  readonly requests: readonly ModelRequest[]
  /** The requests to the MCP server. */
  readonly heads: readonly Head[]
  /** The messages of the MCP server. */
  readonly received: readonly JsonObject[]
  readonly exit: HostExit
}

/** Runs a host with a server and a model that answers as `decide` says. It runs again once if it offered no tool of the server. */
export async function runSession(
  program: HostProgram,
  createServer: () => Server,
  isProbe: (request: ModelRequest) => boolean,
  decide: (request: ModelRequest) => ModelReply = () => ({ text: 'Done' }),
): Promise<HostSession> {
  const first = await runOnce(program, createServer(), isProbe, decide)
  if (first.requests.length > 0) return first
  const second = await runOnce(program, createServer(), isProbe, decide)
  if (second.requests.length > 0) return second
  throw new Error(`${program.host} offers its model no tool of the server: exit code ${second.exit.code}\n${second.exit.output}`)
}

async function runOnce(
  program: HostProgram,
  server: Server,
  isProbe: (request: ModelRequest) => boolean,
  decide: (request: ModelRequest) => ModelReply,
): Promise<HostSession> {
  const requests: ModelRequest[] = []
  const heads: Head[] = []
  const received: JsonObject[] = []
  const listening = await serve(server, { port: 0 })
  const observer = {
    head: (head: Head) => void heads.push(head),
    sent: () => {},
    received: (value: unknown) => void received.push(value as JsonObject),
  }
  const proxy = await startProxy(listening.url, observer)
  const api = await startModelApi((request) => {
    if (!isProbe(request)) return { text: 'Done' }
    requests.push(request)
    return decide(request)
  })
  try {
    const exit = await runHost(program, { server: proxy.url, api: api.url })
    return { requests, heads, received, exit }
  } finally {
    await api.close()
    await proxy.close()
    await listening.close()
  }
}
