import type { HookRequest, HookResponse } from 'portcall/http'
import { LOOPBACK_NAMES } from '../../../util/src/loopback-host.ts'
import { pathOf } from '../../../util/src/request-target.ts'

const withoutPort = (host = ''): string => host.toLowerCase().replace(/:\d+$/, '')

/** The name in the `Host` of deliveries, where it is none of the gateway itself. */
export interface DeliveryHost {
  /** The names of the gateway, and this one. */
  readonly allowedHosts: readonly string[]
  /** Refuses requests for other paths: a gateway without authorization must not be reachable by a public name. */
  refuse(request: HookRequest): HookResponse | undefined
}

/** Accepts the host of the URL of deliveries. Returns `undefined` if there is no URL, or if the gateway has this name anyway. */
export function createDeliveryHost(url: URL | undefined, ownHosts = LOOPBACK_NAMES): DeliveryHost | undefined {
  if (!url || ownHosts.some((own) => withoutPort(own) === url.hostname)) return undefined
  const { hostname, pathname } = url
  const headers = { 'content-type': 'text/plain' }
  return {
    allowedHosts: [...ownHosts, hostname],
    refuse: (request) =>
      withoutPort(request.header('host')) !== hostname || pathOf(request.target) === pathname
        ? undefined
        : { status: 403, headers, body: `The host ${hostname} is for deliveries of events only\n` },
  }
}
