import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { onTestFinished } from 'vitest'

/** The attempts of this process to reach other machines. All of them are blocked. */
export interface Network {
  /** The addresses of the connections, without those of this machine. */
  readonly connections: readonly string[]
  /** The resolved names. */
  readonly lookups: readonly string[]
}

type Addresses = readonly string[] | (() => readonly string[])

/**
 * Records and blocks everything that would leave this machine, until the test ends. Only the names in the argument resolve. A function may
 * return other addresses each time.
 */
export function watchNetwork(names: Readonly<Record<string, Addresses>> = {}): Network {
  const connections: string[] = []
  const lookups: string[] = []
  const { lookup } = dns
  const { connect } = net.Socket.prototype

  const resolve = (name: string, options: dns.LookupOptions, done: (...result: unknown[]) => void): void => {
    if (isHere(name) || name === 'localhost') return void (lookup as (...all: unknown[]) => void)(name, options, done)
    lookups.push(name)
    const configured = names[name]
    const found = (typeof configured === 'function' ? configured() : (configured ?? [])).map((address) => ({
      address,
      family: net.isIP(address),
    }))
    const [first] = found
    if (!first) return void setImmediate(done, Object.assign(new Error(`ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
    if (options.all) setImmediate(done, null, found)
    else setImmediate(done, null, first.address, first.family)
  }
  const stop = (socket: net.Socket, address: string): net.Socket => {
    connections.push(address)
    setImmediate(() => socket.destroy(new Error(`${address} is blocked in tests`)))
    return socket
  }

  dns.lookup = ((name: string, options: unknown, done?: never) =>
    typeof options === 'function'
      ? resolve(name, {}, options as never)
      : resolve(name, options as dns.LookupOptions, done!)) as never
  syncBuiltinESMExports()
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const options = optionsOf(args)
    const host = options?.host
    if (!options || host === undefined || isHere(host)) return connect.apply(this, args as never)
    if (net.isIP(host)) return stop(this, host)
    const asked = options.lookup ?? (dns.lookup as net.LookupFunction)
    options.lookup = (name, lookupOptions, done) =>
      asked(name, lookupOptions, (error, found, family) => {
        const address = typeof found === 'string' ? found : found?.[0]?.address
        if (error || address === undefined || isHere(address)) return done(error, found, family)
        connections.push(address)
        done(Object.assign(new Error(`${address} is blocked in tests`), { code: 'ECONNREFUSED' }), found, family)
      })
    return connect.apply(this, args as never)
  } as typeof connect

  onTestFinished(() => {
    dns.lookup = lookup
    syncBuiltinESMExports()
    net.Socket.prototype.connect = connect
  })
  return { connections, lookups }
}

/** Returns the options of a connection from Node's normalized arguments. */
function optionsOf(args: readonly unknown[]): { host?: string; lookup?: net.LookupFunction } | undefined {
  const [first] = args
  const options = Array.isArray(first) ? (first[0] as unknown) : first
  return typeof options === 'object' && options !== null ? options : undefined
}

function isHere(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}
