import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { onTestFinished } from 'vitest'

/** What this process tries to reach beyond this machine. None of it leaves the machine. */
export interface Network {
  /** The addresses that connections were begun to; this machine is not among them. */
  readonly dialled: readonly string[]
  /** The names that were looked up. */
  readonly looked: readonly string[]
}

type Found = readonly string[] | (() => readonly string[])

/**
 * Watches and stops everything that would leave this machine, until the test is over. Names resolve to what is given here, and to nothing
 * else; what a function gives may be different each time.
 */
export function watchNetwork(names: Readonly<Record<string, Found>> = {}): Network {
  const dialled: string[] = []
  const looked: string[] = []
  const { lookup } = dns
  const { connect } = net.Socket.prototype

  const resolve = (name: string, options: dns.LookupOptions, done: (...result: unknown[]) => void): void => {
    if (isHere(name) || name === 'localhost') return void (lookup as (...all: unknown[]) => void)(name, options, done)
    looked.push(name)
    const given = names[name]
    const found = (typeof given === 'function' ? given() : (given ?? [])).map((address) => ({
      address,
      family: net.isIP(address),
    }))
    const [first] = found
    if (!first) return void setImmediate(done, Object.assign(new Error(`ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
    if (options.all) setImmediate(done, null, found)
    else setImmediate(done, null, first.address, first.family)
  }
  const stop = (socket: net.Socket, address: string): net.Socket => {
    dialled.push(address)
    setImmediate(() => socket.destroy(new Error(`${address} is not dialled in tests`)))
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
        dialled.push(address)
        done(Object.assign(new Error(`${address} is not dialled in tests`), { code: 'ECONNREFUSED' }), found, family)
      })
    return connect.apply(this, args as never)
  } as typeof connect

  onTestFinished(() => {
    dns.lookup = lookup
    syncBuiltinESMExports()
    net.Socket.prototype.connect = connect
  })
  return { dialled, looked }
}

/** The options of a connection, as Node hands them on. */
function optionsOf(args: readonly unknown[]): { host?: string; lookup?: net.LookupFunction } | undefined {
  const [first] = args
  const options = Array.isArray(first) ? (first[0] as unknown) : first
  return typeof options === 'object' && options !== null ? options : undefined
}

function isHere(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}
