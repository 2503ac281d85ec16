import { fileURLToPath } from 'node:url'
import { serveChannel } from 'portcall'
import { type BridgeOptions, bridge, type Gateway } from 'portcall/gateway'
import { channelPair } from 'portcall/jsonrpc'
import { serve } from 'portcall/node'
import { createMatrixServer } from '../../matrix/server/index.ts'
import { compileProgram } from '../../support/compile.ts'
import type { RevisionName } from '../../support/setups.ts'

/** How a gateway reaches the server behind it. `exchange` is a server in the same process. */
export const UPSTREAM_TRANSPORTS = ['exchange', 'channel', 'stdio', 'http', 'sse'] as const
export type UpstreamTransport = (typeof UPSTREAM_TRANSPORTS)[number]

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

const PROGRAM = fileURLToPath(new URL('../../matrix/server/stdio.ts', import.meta.url))

const STARTERS: { readonly [transport in UpstreamTransport]: () => Promise<StartedUpstream> } = {
  async exchange() {
    const server = createMatrixServer()
    return { target: server, close: () => server.close() }
  },
  async channel() {
    const [near, far] = channelPair()
    const server = createMatrixServer()
    serveChannel(server, far)
    return { target: near, close: () => server.close() }
  },
  async stdio() {
    return { target: { command: process.execPath, args: [await compileProgram(PROGRAM)] }, close: () => {} }
  },
  async http() {
    const { url, close } = await serve(createMatrixServer(), { port: 0, handleProcessSignals: false })
    return { target: url, close }
  },
  async sse() {
    const { url, close } = await serve(createMatrixServer(), { port: 0, handleProcessSignals: false })
    return { target: url, close }
  },
}

/** Starts the server of the matrix in a setup, and a bridge in front of it. Closing the bridge stops the server. */
export async function startBridge({ transport, revision }: UpstreamSetup, options: BridgeOptions = {}): Promise<Gateway> {
  const { target, close } = await STARTERS[transport]()
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
