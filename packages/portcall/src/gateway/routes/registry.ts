import { isJsonEqual } from '../../util/json-equal.ts'
import { delay } from '../../util/timers.ts'
import { checkUpstreamOptions } from '../api/check-options.ts'
import { type GatewayNameOptions, type GatewayServerOptions, type GatewayServers, serverOptionsOf } from '../api/options.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { createRoutingTable, type RoutingTable } from './table.ts'

/** The servers of a gateway, which may be replaced while it runs. */
export interface UpstreamRegistry {
  table(): RoutingTable
  /**
   * Replaces the servers. Those with the same name and options are kept. The others are closed after their last response,
   * or after 10 seconds; then it resolves.
   *
   * @throws TypeError, without any change, if an option is invalid.
   */
  replace(servers: GatewayServers): Promise<void>
  close(): Promise<void>
}

export interface UpstreamRegistryOptions {
  readonly names: GatewayNameOptions | undefined
  readonly create: (name: string, server: GatewayServerOptions) => GatewayUpstream
}

const DRAIN_TIMEOUT_MS = 10_000
const DRAIN_POLL_MS = 20

/** Closes a server that gets no more requests. */
async function closeWhenIdle(upstream: GatewayUpstream): Promise<void> {
  const deadline = Date.now() + DRAIN_TIMEOUT_MS
  while (upstream.status.inFlight > 0 && Date.now() < deadline) await delay(DRAIN_POLL_MS)
  await upstream.close()
}

/** @throws TypeError if an option is invalid. */
export function createUpstreamRegistry(initial: GatewayServers, { names, create }: UpstreamRegistryOptions): UpstreamRegistry {
  let current = createRoutingTable([], names)

  /** Returns the servers that are left out from now on. */
  const swap = (servers: GatewayServers): GatewayUpstream[] => {
    checkUpstreamOptions(servers)
    const enabled = [...serverOptionsOf(servers)].filter(([, server]) => !server.disabled)
    const kept = (name: string, server: GatewayServerOptions): GatewayUpstream | undefined => {
      const known = current.byName.get(name)
      return known && isSameServer(known.options, server) ? known : undefined
    }
    const upstreams = enabled.map(([name, server]) => kept(name, server) ?? create(name, server))
    const previous = current.upstreams
    current = createRoutingTable(upstreams, names)
    return previous.filter((upstream) => !upstreams.includes(upstream))
  }
  swap(initial)
  return {
    table: () => current,
    async replace(servers) {
      await Promise.all(swap(servers).map(closeWhenIdle))
    },
    async close() {
      await Promise.all(current.upstreams.map((upstream) => upstream.close()))
    },
  }
}

/** Reports whether two servers have the same options. Functions and servers in this process are the same only if they are identical. */
function isSameServer(one: GatewayServerOptions, other: GatewayServerOptions): boolean {
  const { target: oneTarget, ...oneRest } = one
  const { target: otherTarget, ...otherRest } = other
  return isSameTarget(oneTarget, otherTarget) && isJsonEqual(oneRest, otherRest)
}

function isSameTarget(one: GatewayServerOptions['target'], other: GatewayServerOptions['target']): boolean {
  if (one === other) return true
  if (isUrl(one) || isUrl(other)) return String(one) === String(other) && isUrl(one) === isUrl(other)
  return typeof one === 'object' && typeof other === 'object' && 'command' in one && 'command' in other && isJsonEqual(one, other)
}

function isUrl(target: GatewayServerOptions['target']): boolean {
  return typeof target === 'string' || target instanceof URL
}
