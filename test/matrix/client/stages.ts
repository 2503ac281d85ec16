import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveChannel } from 'portcall'
import type { ConnectOptions, Target } from 'portcall/client'
import { channelPair } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { compileProgram } from '../../support/compile.ts'
import { fetchDoor } from '../../support/http-doors.ts'
import { type Era, eraOf, PLACES, type RevisionName, type Transport } from '../../support/places.ts'
import { createRecorder, type Recorder } from '../../support/recorder.ts'
import { startProxy } from '../../support/recording-proxy.ts'
import { tapChannel, tapExchange, tapFetch } from '../../support/taps.ts'
import { readTee } from '../../support/tee.ts'
import { createMatrixServer } from '../server/index.ts'

/** How a client reaches the server: as raw messages do, or without any wire. */
export type ClientTransport = Transport | 'exchange'

/** Where a behaviour of the client is tried. */
export interface ClientPlace {
  transport: ClientTransport
  revision: RevisionName
}

export const CLIENT_PLACES: readonly ClientPlace[] = [...PLACES, { transport: 'exchange', revision: '2026-07-28' }]

export const eraAt = ({ revision }: ClientPlace): Era => eraOf(revision)

/** Whether requests have heads. */
export const isHttp = ({ transport }: ClientPlace): boolean => ['http', 'fetch', 'sse'].includes(transport)

/** A server of its own, with somebody listening in on the way to it. */
export interface Stage {
  target: Target
  options: Partial<ConnectOptions>
  recorder: Recorder
  close(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('./stdio.ts', import.meta.url))

const STAGES: Record<ClientTransport, () => Promise<Stage>> = {
  async memory() {
    const server = createMatrixServer()
    const [near, far] = channelPair()
    const recorder = createRecorder()
    serveChannel(server, far)
    return { target: tapChannel(near, recorder), options: {}, recorder, close: async () => server.close() }
  },
  async stdio() {
    const path = join(tmpdir(), `portcall-matrix-${randomUUID()}`)
    const recorder = createRecorder(readTee(path))
    const target = { command: process.execPath, args: [await compileProgram(PROGRAM), path] }
    return { target, options: {}, recorder, close: async () => rmSync(path, { force: true }) }
  },
  http: () => httpStage(),
  async fetch() {
    const recorder = createRecorder()
    const door = fetchDoor(createMatrixServer())
    return { target: door.url, options: { fetch: tapFetch(door, recorder) }, recorder, close: door.close }
  },
  async sse() {
    const stage = await httpStage()
    return { ...stage, options: { prior: 'http+sse' } }
  },
  async exchange() {
    const server = createMatrixServer()
    const recorder = createRecorder()
    return { target: tapExchange(server.exchange, recorder), options: {}, recorder, close: async () => server.close() }
  },
}

export const CLIENT_TRANSPORTS = Object.keys(STAGES) as ClientTransport[]

/** Starts a server for one client. */
export function openStage(transport: ClientTransport): Promise<Stage> {
  return STAGES[transport]()
}

/** A server behind HTTP, or what `change` makes of it. */
export async function httpStage(change?: Parameters<typeof startProxy>[2]): Promise<Stage> {
  const recorder = createRecorder()
  const serving = await serve(createMatrixServer(), { port: 0, signals: false, drainMs: 500 })
  const proxy = await startProxy(serving.url, recorder, change)
  const close = async (): Promise<void> => {
    await proxy.close()
    await serving.close()
  }
  return { target: proxy.url, options: {}, recorder, close }
}
