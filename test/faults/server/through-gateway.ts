import type { Server } from 'portcall'
import { bridge, type Gateway } from 'portcall/gateway'
import { serve } from 'portcall/node'

/** How the bridge reaches the server behind it. */
const TARGETS: { readonly [upstream: string]: (server: Server) => Promise<Parameters<typeof bridge>[0]> } = {
  exchange: async (server) => server,
  http: async (server) => (await serve(server, { port: 0, handleProcessSignals: false })).url,
}

/** The bridge in front of a server. */
export interface GatewayChoice {
  /** How it reaches the server. Absent without a bridge. */
  readonly upstream: string | undefined
  readonly sealingKeys: readonly string[] | undefined
}

/** Returns the server, or with `upstream` a bridge to it. */
export async function throughGateway(server: Server, { upstream, sealingKeys }: GatewayChoice): Promise<Server | Gateway> {
  const target = upstream === undefined ? undefined : TARGETS[upstream]
  return target ? bridge(await target(server), { singleUser: true, ...(sealingKeys && { sealingKeys }) }) : server
}
