/** Sends the requests of Node's HTTP client through proxies, where there are any. */
import { type AgentOptions, Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { ProxyLookup } from './proxy-setting.ts'
import { createTunnelAgent, proxyHeaders } from './tunnel.ts'

/** How to send a request to a URL. */
export interface HttpRoute {
  readonly request: typeof requestHttp
  readonly options: RequestOptions
  /** Headers for the proxy, besides those of the request. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the request goes through a proxy, which then resolves the host name. */
  readonly isProxied: boolean
}

/** The routes of one client, which share connections. */
export interface HttpRoutes {
  /** @throws ProxyError when the environment names a proxy that cannot be used. */
  routeOf(url: URL): HttpRoute
  /** Closes all idle connections. */
  close(): void
}

/** Creates the routes of a client. */
export function createHttpRoutes(agentOptions: AgentOptions, proxyOf: ProxyLookup | undefined): HttpRoutes {
  const direct = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) }
  const tunnels = new Map<string, HttpsAgent>()

  const tunnelThrough = (proxy: URL): HttpsAgent => {
    const known = tunnels.get(proxy.href)
    if (known) return known
    const agent = createTunnelAgent(proxy, agentOptions)
    tunnels.set(proxy.href, agent)
    return agent
  }
  const requestOf = (isSecure: boolean): typeof requestHttp => (isSecure ? requestHttps : requestHttp)
  const agentOf = (isSecure: boolean): HttpAgent => (isSecure ? direct.https : direct.http)

  return {
    routeOf(url) {
      const proxy = proxyOf?.(url)
      const { protocol, hostname, port, path } = urlToHttpOptions(url)
      const isSecure = protocol === 'https:'
      if (!proxy || isSecure) {
        const agent = proxy ? tunnelThrough(proxy) : agentOf(isSecure)
        const options = { protocol, hostname, port, path, agent }
        return { request: requestOf(isSecure), options, headers: {}, isProxied: proxy !== undefined }
      }
      const target = `${url.origin}${url.pathname}${url.search}`
      const to = urlToHttpOptions(proxy)
      const viaTls = proxy.protocol === 'https:'
      const options = { protocol: to.protocol, hostname: to.hostname, port: to.port, path: target, agent: agentOf(viaTls) }
      return { request: requestOf(viaTls), options, headers: proxyHeaders(proxy), isProxied: true }
    },
    close() {
      for (const agent of [direct.http, direct.https, ...tunnels.values()]) agent.destroy()
    },
  }
}
