import { isJsonEqual } from '../../../../util/src/json-equal.ts'
import { delay } from '../../../../util/src/timers.ts'
import { checkUpstreamOptions } from '../api/check-options.ts'
import { type GatewayNameOptions, type GatewayServerOptions, type GatewayServers, serverOptionsOf } from '../api/options.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { type CurrentTable, createRoutingTable, type RoutingTable } from './table.ts'

/** The servers of a gateway, which may be replaced while it runs. */
export interface UpstreamRegistry extends CurrentTable {
  /** Sets the function that creates servers, and the first ones. @throws TypeError if an option is invalid. */
  open(servers: GatewayServers, create: CreateUpstream): void
  /**
   * Replaces the servers. Those with the same name and options are kept. The others are closed after their last response,
   * or after 10 seconds; then it resolves.
   *
   * @throws TypeError, without any change, if an option is invalid.
   */
  replace(servers: GatewayServers): Promise<void>
  close(): Promise<void>
}

/** Creates a server of the gateway. */
export type CreateUpstream = (name: string, server: GatewayServerOptions) => GatewayUpstream

const DRAIN_TIMEOUT_MS = 10_000
const DRAIN_POLL_MS = 20

/** Closes a server that gets no more requests. */
const closeWhenIdle = (upstream: GatewayUpstream): Promise<void> =>
  closeAfter(upstream, ({ status, holds }) => status.inFlight > 0 || !holds.isEmpty)

async function closeAfter(upstream: GatewayUpstream, isUsed: (upstream: GatewayUpstream) => boolean): Promise<void> {
  const deadline = Date.now() + DRAIN_TIMEOUT_MS
  while (isUsed(upstream) && Date.now() < deadline) await delay(DRAIN_POLL_MS)
  await upstream.close()
}

/** Creates a registry without servers. */
export function createUpstreamRegistry(names: GatewayNameOptions | undefined): UpstreamRegistry {
  let createUpstream: CreateUpstream | undefined

  /** Returns the servers that are left out from now on. */
  const swap = (servers: GatewayServers): GatewayUpstream[] => {
    checkUpstreamOptions(servers)
    const { byName, upstreams: previous } = registry.table
    const upstreams = [...serverOptionsOf(servers)].flatMap(([name, server]) => {
      if (server.disabled) return []
      const known = byName.get(name)
      return known && isSameServer(known.options, server) ? known : (createUpstream?.(name, server) ?? [])
    })
    registry.table = createRoutingTable(upstreams, names)
    return previous.filter((upstream) => !upstreams.includes(upstream))
  }
  const registry: UpstreamRegistry & { table: RoutingTable } = {
    table: createRoutingTable([], names),
    open(servers, create) {
      createUpstream = create
      swap(servers)
    },
    async replace(servers) {
      await Promise.all(swap(servers).map(closeWhenIdle))
    },
    async close() {
      await Promise.all(registry.table.upstreams.map((upstream) => closeAfter(upstream, ({ holds }) => !holds.isEmpty)))
    },
  }
  return registry
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
