import { isString } from '../../../../util/src/strings.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { clientMeta, discoverRequest } from '../../protocol/probes.ts'
import type { Implementation } from '../../protocol/types.ts'
import { SELF } from '../api/self.ts'
import { Caller } from '../policy/caller.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import type { UpstreamInfo } from '../upstreams/answers.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { mayKnowServer } from './known-servers.ts'

/** Describes the servers that respond in time, and that a caller without authorization may know. */
export async function describePublicServers(
  upstreams: readonly GatewayUpstream[],
  policies: CombinedPolicies,
): Promise<ReadonlyMap<string, Implementation>> {
  const request = discoverRequest(0, clientMeta({ name: 'portcall-catalog', version: '0' }))
  const caller = new Caller(request, { signal: new AbortController().signal, notify() {} }, policies)
  // Accounts of users are nobody's here.
  const shared = upstreams.filter(({ name, isShared }) => name !== SELF && isShared)
  const lookups = await Promise.all(shared.map(({ catalogue, listWaitMs }) => catalogue.discover(caller, listWaitMs)))
  return new Map(
    shared.flatMap((upstream, at) => {
      const info = infoOf(lookups[at]?.value)
      return info && mayKnowServer(upstream, caller) ? [[upstream.name, info] as const] : []
    }),
  )
}

function infoOf(answer: UpstreamInfo | undefined): Implementation | undefined {
  const meta = answer?.discovered._meta
  const info = isObject(meta) ? meta[MetaKey.serverInfo] : undefined
  return isObject(info) && isString(info.name) && isString(info.version) ? (info as unknown as Implementation) : undefined
}
