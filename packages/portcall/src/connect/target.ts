import type { Channel } from '../jsonrpc/channel.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import type { MethodOf } from '../protocol/methods.ts'

/** A server that is started for its client, as a child process that speaks over stdin and stdout. */
export interface Command {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to a few harmless variables of this process; nothing else of it is passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** The longest message that is read, in bytes. Default: 16 MiB. */
  readonly maxMessageBytes?: number
  /** How long it may take to end after its stdin has ended, in milliseconds, before SIGTERM. Default: 500. */
  readonly endMs?: number
  /** How long it may take after SIGTERM, before SIGKILL. Default: 1500. */
  readonly terminateMs?: number
}

/** A server in this process. */
export interface Served {
  readonly exchange: Exchange
  /** What is known of its methods. */
  readonly methodOf?: MethodOf
}

/** What a client can be connected to. */
export type Target = string | URL | Command | Served | Channel | Exchange

/** The ways to reach a target, one for each kind. */
export interface Ways<T> {
  url(url: URL): T
  command(command: Command): T
  exchange(exchange: Exchange): T
  channel(channel: Channel): T
}

/** Goes the way that fits the target. @throws TypeError when there is none. */
export function reach<T>(target: Target, ways: Ways<T>): T {
  if (typeof target === 'string' || target instanceof URL) return ways.url(toUrl(target))
  if (typeof target === 'function') return ways.exchange(target)
  if ('command' in target) return ways.command(target)
  if ('exchange' in target) return ways.exchange(target.exchange)
  if ('receive' in target) return ways.channel(target)
  throw new TypeError('A client connects to a URL, a { command }, a server, a Channel or an Exchange')
}

function toUrl(target: string | URL): URL {
  if (!URL.canParse(target))
    throw new TypeError(`${JSON.stringify(target)} is not a URL; to start a program, give { command, args }`)
  const url = new URL(target)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`A server is reached by http: or https:, not by ${url.protocol}`)
  return url
}
