import { fileURLToPath } from 'node:url'
import { serveChannel } from 'portcall'
import { type BridgeOptions, bridge, type Gateway } from 'portcall/gateway'
import { channelPair } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { createMatrixServer } from '../../matrix/server/index.ts'
import { compileProgram } from '../../support/compile.ts'
import { observeChannel } from '../../support/observers.ts'
import { startProxy } from '../../support/recording-proxy.ts'
import type { RevisionName } from '../../support/setups.ts'
import { createTee } from '../../support/tee.ts'

/** How a gateway reaches the server behind it. `exchange` is a server in the same process. */
export type UpstreamTransport = 'exchange' | 'channel' | 'stdio' | 'http' | 'sse'

/** The transport and the revision between a gateway and its server. */
export interface UpstreamSetup {
  readonly transport: UpstreamTransport
  readonly revision: RevisionName
}

/** Reads a setup such as `http@2025-11-25`. */
export function parseUpstream(text: string): UpstreamSetup {
  const [transport, revision] = text.split('@')
  return { transport: transport as UpstreamTransport, revision: revision as RevisionName }
}

interface StartedUpstream {
  readonly target: Parameters<typeof bridge>[0]
  readonly close: () => Promise<void> | void
}

const PROGRAM = fileURLToPath(new URL('../../matrix/client/stdio.ts', import.meta.url))
/** Names the compiled program of the server, for a bridge that is a program itself. */
const PROGRAM_VARIABLE = 'MATRIX_PROGRAM'

/** Compiles the program of the server. Returns the environment that a bridge which is a program itself needs. */
export async function compileUpstream(): Promise<{ [name: string]: string }> {
  return { [PROGRAM_VARIABLE]: await compileProgram(PROGRAM, { startsOften: true }) }
}

/** Starts the server of the matrix. What it and the bridge send each other is written to a file. */
const STARTERS: { readonly [transport in UpstreamTransport]: (recording: string) => Promise<StartedUpstream> } = {
  async exchange() {
    const server = createMatrixServer()
    return { target: server, close: () => server.close() }
  },
  async channel(recording) {
    const [near, far] = channelPair()
    const server = createMatrixServer()
    serveChannel(server, far)
    return { target: observeChannel(near, createTee(recording)), close: () => server.close() }
  },
  async stdio(recording) {
    return {
      target: {
        command: process.execPath,
        args: [process.env[PROGRAM_VARIABLE] ?? (await compileProgram(PROGRAM, { startsOften: true })), recording],
      },
      close: () => {},
    }
  },
  http: startHttp,
  sse: startHttp,
}

async function startHttp(recording: string): Promise<StartedUpstream> {
  const serving = await serve(createMatrixServer(), { port: 0, handleProcessSignals: false, drainTimeoutMs: 500 })
  const proxy = await startProxy(serving.url, createTee(recording))
  const close = async (): Promise<void> => {
    await proxy.close()
    await serving.close()
  }
  return { target: proxy.url, close }
}

/**
 * Starts the server of the matrix in a setup, and a bridge in front of it. Closing the bridge stops the server. What they send each other is
 * written to the file `recording`; nothing is for a server in the same process, which no revision describes.
 */
export async function startBridge(
  { transport, revision }: UpstreamSetup,
  recording: string,
  options: BridgeOptions = {},
): Promise<Gateway> {
  const { target, close } = await STARTERS[transport](recording)
  const era = transport === 'sse' ? { era: 'http+sse' as const } : {}
  const gateway = bridge(target, { protocolVersion: revision, ...era, ...options })
  return {
    ...gateway,
    async close() {
      await gateway.close()
      await close()
    },
  }
}
