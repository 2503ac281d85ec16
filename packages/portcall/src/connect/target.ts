import { isUrl } from '../../../util/src/parse-url.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import type { MethodLookup } from '../protocol/methods.ts'

/** A server to start as a child process and to talk to over stdin and stdout. */
export interface StdioTarget {
  /** The program to start: a path, or a name in `PATH`. It is not run by a shell. */
  readonly command: string
  /** The arguments of the program. */
  readonly args?: readonly string[]
  /** Added to a few harmless variables of this process. No other variable is inherited. */
  readonly env?: Readonly<Record<string, string>>
  /** The working directory of the program. Default: that of this process. */
  readonly cwd?: string
  /** Maximum size of a message from the server, in bytes. Default: 24 MiB. */
  readonly maxMessageBytes?: number
  /** Time between closing stdin and SIGTERM, in milliseconds. Default: 500. */
  readonly shutdownTimeoutMs?: number
  /** Time between SIGTERM and SIGKILL, in milliseconds. Default: 1500. */
  readonly killTimeoutMs?: number
  /**
   * Terminates the program, with everything that it started, also when this process is killed, by means of a small shell that all programs
   * share. Without it, only the stdin of the program ends. Has no effect on Windows. Default: false.
   */
  readonly terminateWithParent?: boolean
}

/** A server in this process. */
export interface InProcessTarget {
  /** Answers the requests. */
  readonly exchange: Exchange
  /** Looks up the server's methods. */
  readonly methodOf?: MethodLookup
}

/** Anything that a client can connect to. */
export type ConnectTarget = string | URL | StdioTarget | InProcessTarget | Channel | Exchange

/** One function for each kind of target. */
export interface TargetVisitor<T> {
  url(url: URL): T
  command(command: StdioTarget): T
  exchange(exchange: Exchange): T
  channel(channel: Channel): T
}

/** Calls the function that matches the kind of target. @throws TypeError when the target is none of these. */
export function matchTarget<T>(target: ConnectTarget, visitor: TargetVisitor<T>): T {
  if (typeof target === 'string' || target instanceof URL) return visitor.url(toUrl(target))
  if (typeof target === 'function') return visitor.exchange(target)
  if (target && typeof target === 'object') {
    if ('command' in target) return visitor.command(target)
    if ('exchange' in target) return visitor.exchange(target.exchange)
    if ('receive' in target) return visitor.channel(target)
  }
  throw new TypeError('The target must be a URL, a { command }, a server, a Channel or an Exchange')
}

function toUrl(target: string | URL): URL {
  if (!isUrl(target)) {
    // A query may have credentials.
    const [shown = ''] = String(target).split(/[?#]/, 1)
    throw new TypeError(`${JSON.stringify(shown)} is not a URL; to start a program, pass { command, args }`)
  }
  const url = new URL(target)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`The URL of a server must use http: or https:, not ${url.protocol}`)
  return url
}
