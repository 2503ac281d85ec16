import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveChannel } from 'portcall'
import type { ConnectOptions, ConnectTarget } from 'portcall/client'
import { channelPair } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { compileProgram } from '../../support/compile.ts'
import { createFetchEndpoint } from '../../support/http-endpoints.ts'
import { observeChannel, observeExchange, observeFetch } from '../../support/observers.ts'
import { createRecorder, type Recorder } from '../../support/recorder.ts'
import { startProxy } from '../../support/recording-proxy.ts'
import { type Era, eraOf, type RevisionName, SETUPS, type Transport } from '../../support/setups.ts'
import { readTee } from '../../support/tee.ts'
import { createMatrixServer } from '../server/index.ts'

/** How a client connects to the server: over a transport, or by an in-process exchange. */
export type ClientTransport = Transport | 'exchange'

/** A combination of transport and revision in which a behavior of the client is tested. */
export interface ClientSetup {
  transport: ClientTransport
  revision: RevisionName
}

export const CLIENT_SETUPS: readonly ClientSetup[] = [...SETUPS, { transport: 'exchange', revision: '2026-07-28' }]

export const eraOfSetup = ({ revision }: ClientSetup): Era => eraOf(revision)

/** Reports whether requests have HTTP heads. */
export const isHttp = ({ transport }: ClientSetup): boolean => ['http', 'fetch', 'sse'].includes(transport)

/** A server for one client, with a recorder between them. */
export interface Fixture {
  target: ConnectTarget
  options: Partial<ConnectOptions>
  recorder: Recorder
  close(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('./stdio.ts', import.meta.url))

const FIXTURES: Record<ClientTransport, () => Promise<Fixture>> = {
  async memory() {
    const server = createMatrixServer()
    const [near, far] = channelPair()
    const recorder = createRecorder()
    serveChannel(server, far)
    return { target: observeChannel(near, recorder), options: {}, recorder, close: async () => server.close() }
  },
  async stdio() {
    const path = join(tmpdir(), `portcall-matrix-${randomUUID()}`)
    const recorder = createRecorder({ pull: readTee(path) })
    const target = { command: process.execPath, args: [await compileProgram(PROGRAM, { startsOften: true }), path] }
    return { target, options: {}, recorder, close: async () => rmSync(path, { force: true }) }
  },
  http: () => createHttpFixture(),
  async fetch() {
    const recorder = createRecorder()
    const endpoint = createFetchEndpoint(createMatrixServer())
    return { target: endpoint.url, options: { fetch: observeFetch(endpoint, recorder) }, recorder, close: endpoint.close }
  },
  async sse() {
    const fixture = await createHttpFixture()
    return { ...fixture, options: { era: 'http+sse' } }
  },
  async exchange() {
    const server = createMatrixServer()
    const recorder = createRecorder()
    return { target: observeExchange(server.exchange, recorder), options: {}, recorder, close: async () => server.close() }
  },
}

export const CLIENT_TRANSPORTS = Object.keys(FIXTURES) as ClientTransport[]

/** Starts a server for one client. */
export function createFixture(transport: ClientTransport): Promise<Fixture> {
  return FIXTURES[transport]()
}

/** Starts an HTTP server; `change` replaces requests or responses. */
export async function createHttpFixture(change?: Parameters<typeof startProxy>[2]): Promise<Fixture> {
  const recorder = createRecorder()
  const serving = await serve(createMatrixServer(), { port: 0, handleProcessSignals: false, drainTimeoutMs: 500 })
  const proxy = await startProxy(serving.url, recorder, change)
  const close = async (): Promise<void> => {
    await proxy.close()
    await serving.close()
  }
  return { target: proxy.url, options: {}, recorder, close }
}
