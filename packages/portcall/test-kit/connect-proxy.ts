import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request as requestHttp, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { CERTIFICATE } from './certificate.ts'

/** A request that arrived at a proxy. */
export interface ProxiedRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

export interface ConnectProxyOptions {
  /** Uses TLS towards its clients. Default: false. */
  readonly isSecure?: boolean
  /** The value of `Proxy-Authorization` that it requires. Default: none. */
  readonly authorization?: string
  /** Answers CONNECT with this status. Default: 200. */
  readonly status?: number
  /** Never answers CONNECT. Default: false. */
  readonly isSilent?: boolean
}

/** A proxy that takes every host for 127.0.0.1, so that tests need no name server. */
export interface ConnectProxy {
  /** Its URL; it is a loopback address. */
  readonly url: string
  readonly requests: readonly ProxiedRequest[]
  close(): void
}

/** Starts a forward proxy for http and, with CONNECT, for https. */
export async function startConnectProxy(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const { isSecure = false, authorization, status = 200, isSilent = false } = options
  const requests: ProxiedRequest[] = []
  const sockets = new Set<Socket>()
  const server: Server = isSecure ? createTlsServer(CERTIFICATE) : createServer()
  const isRefused = (headers: IncomingHttpHeaders): boolean =>
    authorization !== undefined && headers['proxy-authorization'] !== authorization
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => {})))
  server.on('connect', ({ method = '', url = '', headers }, client: Socket) => {
    requests.push({ method, target: url, headers })
    client.on('error', () => {})
    if (isSilent) return
    if (isRefused(headers)) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const origin = connect(Number(new URL(`http://${url}`).port || 80), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      origin.pipe(client).pipe(origin)
    })
    sockets.add(origin.on('error', () => client.destroy()))
  })
  server.on('request', (request, response) => {
    const { method = '', url = '', headers } = request
    requests.push({ method, target: url, headers })
    if (isRefused(headers)) return void response.writeHead(407).end()
    const { port, pathname, search } = new URL(url)
    const { 'proxy-authorization': _, ...rest } = headers
    const options = { host: '127.0.0.1', port, method, path: pathname + search, headers: rest }
    const origin = requestHttp(options, (message) => {
      message.pipe(response.writeHead(message.statusCode ?? 500, message.headers))
    })
    request.pipe(origin.on('error', () => response.destroy()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
