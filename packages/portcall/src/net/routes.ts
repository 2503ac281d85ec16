/** Sends the requests of Node's HTTP client through proxies, where there are any. */
import { type AgentOptions, Agent as HttpAgent, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { type ProxyError, proxyAddress, refusedCredentials } from './proxy-error.ts'
import type { ProxyLookup } from './proxy-setting.ts'
import { createForwardAgent, createTunnelAgent, proxyHeaders } from './tunnel.ts'

/** How to send a request to a URL. */
export interface HttpRoute {
  readonly request: typeof requestHttp
  readonly options: RequestOptions
  /** Headers for the proxy, besides those of the request. */
  readonly headers: Readonly<Record<string, string>>
  /** True if the request goes through a proxy, which then resolves the host name. */
  readonly isProxied: boolean
  /** Returns the error for a status that is the answer of the proxy itself, not of the server. */
  refusalOf(status: number | undefined): ProxyError | undefined
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
  const proxied = new Map<string, HttpAgent>()

  const agentThrough = (proxy: URL, isSecure: boolean): HttpAgent => {
    const key = `${isSecure} ${proxy.href}`
    const known = proxied.get(key)
    if (known) return known
    const agent = isSecure ? createTunnelAgent(proxy, agentOptions) : createForwardAgent(proxy, agentOptions)
    proxied.set(key, agent)
    return agent
  }
  const requestOf = (isSecure: boolean): typeof requestHttp => (isSecure ? requestHttps : requestHttp)

  return {
    routeOf(url) {
      const proxy = proxyOf?.(url)
      const { protocol, hostname, port, path } = urlToHttpOptions(url)
      const isSecure = protocol === 'https:'
      const isProxied = proxy !== undefined
      if (!proxy || isSecure) {
        const agent = proxy ? agentThrough(proxy, true) : direct[isSecure ? 'https' : 'http']
        const options = { protocol, hostname, port, path, agent }
        return { request: requestOf(isSecure), options, headers: {}, isProxied, refusalOf: () => undefined }
      }
      const target = `${url.origin}${url.pathname}${url.search}`
      const options = { ...proxyAddress(proxy), path: target, agent: agentThrough(proxy, false) }
      const refusalOf = (status?: number): ProxyError | undefined => (status === 407 ? refusedCredentials(proxy) : undefined)
      return { request: requestOf(proxy.protocol === 'https:'), options, headers: proxyHeaders(proxy), isProxied, refusalOf }
    },
    close() {
      for (const agent of [direct.http, direct.https, ...proxied.values()]) agent.destroy()
    },
  }
}
