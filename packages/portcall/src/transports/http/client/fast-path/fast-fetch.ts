/**
 * Sends requests to `http:` URLs on sockets of its own, for about a quarter of the time that `node:http` takes. TLS is left to `node:https`,
 * and so are all requests while something observes Node's HTTP client.
 */
import { Buffer } from 'node:buffer'
import { channel } from 'node:diagnostics_channel'
import http from 'node:http'
import { urlToHttpOptions } from 'node:url'
import { types } from 'node:util'
import { createIdleTimers } from '../../../../util/idle-timers.ts'
import type { HttpFetch, HttpFetchInit, HttpTransfer } from '../types.ts'
import { type HttpAddress, HttpConnection, type HttpConnectionEvents, SocketTransfer } from './connection.ts'

const DEFAULT_PORT = 80
const OBSERVED_CHANNELS = ['created', 'start', 'error', 'bodyChunkSent'].map((name) => channel(`http.client.request.${name}`))
const FINISH = channel('http.client.response.finish')
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

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
  const timers = createIdleTimers<HttpConnection>(idleMs, (connection) => connection.close())
  const addresses = new WeakMap<URL, { readonly href: string; readonly address: HttpAddress }>()

  const addressOf = (url: URL): HttpAddress => {
    const cached = addresses.get(url)
    if (cached?.href === url.href) return cached.address
    const { hostname, port } = urlToHttpOptions(url)
    const address = { host: hostname ?? '', port: Number(port || DEFAULT_PORT) }
    addresses.set(url, { href: url.href, address })
    return address
  }
  const events: HttpConnectionEvents = {
    onIdle(connection, reuseMs) {
      connection.reusableUntil = performance.now() + reuseMs
      const key = keyOf(connection.address)
      const list = idle.get(key)
      if (list) list.push(connection)
      else idle.set(key, [connection])
      timers.touch(connection)
    },
    onClose(connection) {
      open.delete(connection)
      timers.remove(connection)
      const key = keyOf(connection.address)
      const list = idle.get(key)?.filter((other) => other !== connection)
      if (list?.length === 0) idle.delete(key)
      else if (list) idle.set(key, list)
    },
  }
  const take = (address: HttpAddress, connectTimeoutMs: number): HttpConnection => {
    const list = idle.get(keyOf(address))
    for (let found = list?.pop(); found; found = list?.pop()) {
      timers.remove(found)
      if (found.reusableUntil > performance.now()) return found
      found.close()
    }
    const created = new HttpConnection(address, events, connectTimeoutMs)
    open.add(created)
    return created
  }
  const send = (url: URL, init: HttpFetchInit): HttpTransfer => {
    const head = writeHead(url, init, userAgent)
    const connection = take(addressOf(url), init.connectTimeoutMs)
    const exchange = new SocketTransfer(connection)
    connection.send(exchange, head, init.body ?? '')
    return exchange
  }
  const close = (): void => {
    timers.stop()
    for (const connection of open) connection.close()
    idle.clear()
  }
  return Object.assign(send, { close })
}

const keyOf = ({ host, port }: HttpAddress): string => `${host} ${port}`

/** Returns the head of a request. @throws TypeError for a header that cannot be sent. */
function writeHead(url: URL, { method, headers, body }: HttpFetchInit, userAgent: string): string {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`
  if (headers.host === undefined) head += `host: ${url.host}\r\n`
  if (headers['user-agent'] === undefined) head += `user-agent: ${userAgent}\r\n`
  if (headers['content-length'] === undefined && body !== undefined) head += `content-length: ${Buffer.byteLength(body)}\r\n`
  if (headers.connection === undefined) head += 'connection: keep-alive\r\n'
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!TOKEN.test(name)) throw new TypeError(`${JSON.stringify(name)} is not the name of a header`)
    if (!VALUE.test(value)) throw new TypeError(`The header ${name} contains a character that cannot be sent`)
    head += `${name}: ${value}\r\n`
  }
  return `${head}\r\n`
}
