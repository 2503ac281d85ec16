import { randomId } from '../../../../util/src/random.ts'
import { sessionOf } from '../../protocol/caller-identity.ts'
import type { Caller } from '../policy/caller.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import { createUpstreamListener, type UpstreamListener } from './upstream-listener.ts'

/** The subscriptions to servers, shared by the callers that may share them. */
export interface ListenerPool {
  get(upstream: GatewayUpstream, caller: Caller): UpstreamListener
  /** Subscribes to a server again, because it is back. */
  recover(upstream: GatewayUpstream, unavailableSince: number | undefined): void
  close(): void
}

/** `policies` returns the current policies. */
export function createListenerPool(policies: () => CombinedPolicies): ListenerPool {
  const listeners = new Map<string, { readonly upstreamId: string; readonly listener: UpstreamListener }>()
  const sessions = new WeakMap<object, string>()
  const sessionIdOf = ({ request }: Caller): string => {
    const session = sessionOf(request)
    if (!session) return ''
    const id = sessions.get(session) ?? randomId(8)
    sessions.set(session, id)
    return id
  }
  return {
    get(upstream, caller) {
      const rights = upstream.needsIdentity ? caller.key : caller.capabilitiesKey
      const session = upstream.options.sharing === 'session' ? sessionIdOf(caller) : ''
      const key = JSON.stringify([upstream.id, rights, session])
      const known = listeners.get(key)
      if (known) return known.listener
      const onUnused = (): void => {
        if (listeners.get(key)?.listener === listener) listeners.delete(key)
      }
      const listener = createUpstreamListener({ upstream, meta: caller.sharedMeta, auth: caller.auth, policies, onUnused })
      listeners.set(key, { upstreamId: upstream.id, listener })
      return listener
    },
    recover({ id }, unavailableSince) {
      for (const { upstreamId, listener } of listeners.values()) if (upstreamId === id) listener.recover(unavailableSince)
    },
    close() {
      for (const { listener } of listeners.values()) listener.close()
      listeners.clear()
    },
  }
}
