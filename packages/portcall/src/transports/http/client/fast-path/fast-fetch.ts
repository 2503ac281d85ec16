/**
 * Sends requests to `http:` URLs on sockets of its own, for about a quarter of the time that `node:http` takes. TLS is left to `node:https`,
 * and so are all requests while something observes Node's HTTP client.
 */
import { Buffer } from 'node:buffer'
import { channel } from 'node:diagnostics_channel'
import http from 'node:http'
import { setImmediate } from 'node:timers'
import { urlToHttpOptions } from 'node:url'
import { types } from 'node:util'
import { isLoopbackHost } from '../../../../../../util/src/loopback-host.ts'
import { unref } from '../../../../../../util/src/timers.ts'
import { checkHeader } from '../../common/headers.ts'
import { createWriteBatcher } from '../../common/write-batcher.ts'
import { acceptedCodings } from '../decoded-response.ts'
import type { HttpFetch, HttpFetchInit, HttpTransfer } from '../types.ts'
import { type HttpAddress, HttpConnection, type HttpConnectionEvents, SocketTransfer } from './connection.ts'

const DEFAULT_PORT = 80
/** An idle connection is closed up to this part of its time later. */
const SWEEPS_PER_TIMEOUT = 10
const OBSERVED_CHANNELS = ['created', 'start', 'error', 'bodyChunkSent'].map((name) => channel(`http.client.request.${name}`))
const FINISH = channel('http.client.response.finish')

/** Reports whether a request may bypass `node:http`: nothing subscribes to its channels, and nothing has replaced `http.request`. */
export function isUnobserved(): boolean {
  const { request } = http
  return (
    request.name === 'request' &&
    !types.isProxy(request) &&
    !('__wrapped' in request) &&
    !FINISH.hasSubscribers &&
    !OBSERVED_CHANNELS.some(({ hasSubscribers }) => hasSubscribers)
  )
}

/** Creates a client. Idle connections are closed after `idleMs`. */
export function createFastFetch(idleMs: number, userAgent: string): HttpFetch {
  /** By host and port. The connection that was used last is at the end, and is used next. */
  const idle = new Map<string, HttpConnection[]>()
  const open = new Set<HttpConnection>()
  const batcher = createWriteBatcher(setImmediate)
  const destinations = new WeakMap<URL, Destination>()

  const destinationOf = (url: URL): Destination => {
    const cached = destinations.get(url)
    if (cached?.href === url.href) return cached
    const destination = readDestination(url)
    destinations.set(url, destination)
    return destination
  }
  let timer: ReturnType<typeof setInterval> | undefined
  /** Closes the connections that were idle for too long. */
  const sweep = (): void => {
    const now = performance.now()
    for (const connection of [...idle.values()].flat()) if (connection.idleUntil <= now) connection.close()
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  const events: HttpConnectionEvents = {
    onIdle(connection, reuseMs) {
      connection.idleUntil = performance.now() + Math.min(reuseMs, idleMs)
      const { key } = connection.address
      const list = idle.get(key)
      if (list) list.push(connection)
      else idle.set(key, [connection])
      timer ??= unref(setInterval(sweep, idleMs / SWEEPS_PER_TIMEOUT))
    },
    onClose(connection) {
      open.delete(connection)
      const { key } = connection.address
      const list = idle.get(key)?.filter((other) => other !== connection) ?? []
      if (list.length > 0) idle.set(key, list)
      else idle.delete(key)
      if (open.size === 0) stop()
    },
  }
  const take = (address: HttpAddress, connectTimeoutMs: number): HttpConnection => {
    const list = idle.get(address.key)
    for (let found = list?.pop(); found; found = list?.pop()) {
      if (found.isReusable) return found
      found.close()
    }
    const created = new HttpConnection(address, { events, batcher }, connectTimeoutMs)
    open.add(created)
    return created
  }
  const send = (url: URL, init: HttpFetchInit): HttpTransfer => {
    const destination = destinationOf(url)
    const head = writeHead(destination, init, userAgent)
    const connection = take(destination.address, init.connectTimeoutMs)
    const exchange = new SocketTransfer(connection, url)
    connection.send(exchange, head, init.body ?? '')
    return exchange
  }
  const close = (): void => {
    stop()
    for (const connection of open) connection.close()
    idle.clear()
  }
  return Object.assign(send, { close })
}

/** The facts that a URL holds about its requests, read once for each URL object. */
interface Destination {
  /** The URL that was read. A URL object may change. */
  readonly href: string
  readonly address: HttpAddress
  /** The path with the query. */
  readonly target: string
  readonly host: string
  /** True for this machine, where compression costs more than it saves. */
  readonly isLocal: boolean
}

function readDestination(url: URL): Destination {
  const { hostname, port } = urlToHttpOptions(url)
  const address = { host: hostname ?? '', port: Number(port || DEFAULT_PORT), key: url.host }
  return {
    href: url.href,
    address,
    target: `${url.pathname}${url.search}`,
    host: url.host,
    isLocal: isLoopbackHost(url.hostname),
  }
}

/** Returns the head of a request. @throws InvalidHeaderError for a header that cannot be sent. */
function writeHead(destination: Destination, init: HttpFetchInit, userAgent: string): string {
  const { target, host, isLocal } = destination
  const { method, headers, body } = init
  let head = `${method} ${target} HTTP/1.1\r\n`
  if (headers.host === undefined) head += `host: ${host}\r\n`
  if (headers['user-agent'] === undefined) head += `user-agent: ${userAgent}\r\n`
  if (headers['content-length'] === undefined && body !== undefined) head += `content-length: ${Buffer.byteLength(body)}\r\n`
  if (!isLocal && headers['accept-encoding'] === undefined) head += `accept-encoding: ${acceptedCodings(init)}\r\n`
  if (headers.connection === undefined) head += 'connection: keep-alive\r\n'
  for (const name in headers) {
    const value = headers[name] ?? ''
    checkHeader(name, value)
    head += `${name}: ${value}\r\n`
  }
  return `${head}\r\n`
}
