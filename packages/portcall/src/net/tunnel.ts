/** Opens connections to proxies, and TLS connections to servers through them. https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6 */

import { type AgentOptions, type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { connect as connectTcp, type Socket, type TcpNetConnectOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { MAX_TIMER_MS, timeoutSignal } from '../../../util/src/timers.ts'
import { displayProxy, ProxyError, proxyAddress, refusedCredentials, unreachableProxy } from './proxy-error.ts'

/** The arguments that Node passes to the function that creates a connection. */
interface TunnelOptions extends ConnectionOptions {
  /** Time allowed to open the tunnel, in milliseconds; an option of the request. */
  readonly connectTimeoutMs?: number
}

type Callback = (error: Error | null, socket?: Duplex) => void

const CONNECT_TIMEOUT_MS = 10_000

/** Creates an agent whose connections go through a proxy. The certificate of the server is checked, as without a proxy. */
export function createTunnelAgent(proxy: URL, agentOptions: AgentOptions): HttpsAgent {
  const createConnection = (options: TunnelOptions, callback: Callback): undefined => {
    openTunnel(proxy, options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error),
    )
  }
  return Object.assign(new HttpsAgent(agentOptions), { createConnection })
}

/** Creates an agent whose connections lead to a proxy that forwards requests. An error while it connects names the proxy. */
export function createForwardAgent(proxy: URL, agentOptions: AgentOptions): HttpAgent {
  const isSecure = proxy.protocol === 'https:'
  const createConnection = (options: TunnelOptions & TcpNetConnectOpts, callback: Callback): undefined => {
    const socket = isSecure ? connectTls(options) : connectTcp(options)
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
    const onTimeout = () => socket.destroy(new Error(`no connection within ${connectTimeoutMs} ms`))
    const timer = setTimeout(onTimeout, Math.min(connectTimeoutMs, MAX_TIMER_MS))
    const fail = (cause: Error): void => callback(unreachableProxy(proxy, cause))
    socket.once('error', fail).once('close', () => clearTimeout(timer))
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      // The HTTP client listens for errors from the next turn on.
      socket.off('error', fail).on('error', () => {})
      callback(null, socket)
    })
  }
  return Object.assign(isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions), { createConnection })
}

/** Returns the header for a proxy whose URL contains a user name. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const credentials = `${decode(username)}:${decode(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function openTunnel(proxy: URL, options: TunnelOptions): Promise<TLSSocket> {
  const { host = '', port = 443, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const timeout = timeoutSignal(connectTimeoutMs)
  try {
    const socket = await openConnection(proxy, authority, timeout)
    return await startTls({ ...options, socket }, timeout)
  } catch (error) {
    if (!timeout.aborted) throw error
    throw new ProxyError(`The proxy ${displayProxy(proxy)} did not connect to ${authority} within ${connectTimeoutMs} ms`)
  }
}

/** Asks the proxy for a connection to a server. */
function openConnection(proxy: URL, authority: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { host: authority, 'user-agent': 'portcall', connection: 'keep-alive', ...proxyHeaders(proxy) }
    const send = proxy.protocol === 'https:' ? requestHttps : requestHttp
    const request: ClientRequest = send({
      ...proxyAddress(proxy),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      signal,
    })
    request.on('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        return resolve(socket as Socket)
      }
      socket.destroy()
      const refused = `The proxy ${displayProxy(proxy)} refused to connect to ${authority} (HTTP ${statusCode})`
      reject(statusCode === 407 ? refusedCredentials(proxy) : new ProxyError(refused))
    })
    request.on('error', (cause) => reject(unreachableProxy(proxy, cause)))
    request.end()
  })
}

/** Starts TLS with the server. */
function startTls(options: ConnectionOptions & { readonly socket: Socket }, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(options)
    const fail = (error: Error): void => {
      socket.destroy()
      options.socket.destroy()
      reject(error)
    }
    const abort = (): void => fail(new Error('The TLS handshake took too long'))
    signal.addEventListener('abort', abort, { once: true })
    const close = (): void => fail(new Error('The connection was closed during the TLS handshake'))
    socket.once('error', fail).once('close', close)
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', abort)
      // The HTTP client listens for errors from the next turn on.
      socket
        .off('close', close)
        .off('error', fail)
        .on('error', () => {})
      resolve(socket)
    })
  })
}
