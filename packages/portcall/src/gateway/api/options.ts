import type { ConnectionOptions } from '../../connect/options.ts'
import type { ConnectTarget } from '../../connect/target.ts'
import type { EventWebhook } from '../../events/receiver/types.ts'
import type { Auth, Middleware } from '../../jsonrpc/exchange.ts'
import type { Logger } from '../../logging/logger.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import type { Implementation } from '../../protocol/types.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { Stores } from '../../stores/stores.ts'
import type { HeaderSource } from '../../transports/http/client/request-headers.ts'
import type { GatewayPolicy } from '../policy/types.ts'
import type { OnGatewayEvent } from './events.ts'

/** The store of the lists that servers offered last. */
export type ListStore = Pick<KeyValueStore, 'get' | 'set'>

/** Which items of a server the gateway offers, and under which names. Patterns may contain `*`. */
export interface ItemRules {
  /** Only items that match one of these patterns. Default: all. */
  readonly include?: readonly string[]
  /** No items that match one of these patterns. */
  readonly exclude?: readonly string[]
  /** Other names of items, by their name on the server. Not for resources. */
  readonly rename?: { readonly [name: string]: string }
}

/** The caller that a connection to a server is opened for. */
export interface CredentialsRequest {
  /** The name of the server. */
  readonly server: string
  /** The URL of the server. Absent for other targets. */
  readonly url?: URL
  /** The caller; absent if callers share the connection, or are not authenticated. */
  readonly principal?: string
  /**
   * The authorization of the caller. The same user with other scopes, another client or other claims has another connection. Absent if `principal`
   * is.
   */
  readonly auth?: Auth
}

/** The credentials of the HTTP requests to a server. */
export interface UpstreamCredentials {
  /** Obtains access tokens; `portcall/auth/client` has providers. */
  readonly auth?: AuthProvider
  /** Additional headers of every HTTP request. */
  readonly headers?: HeaderSource
}

/** Returns the credentials of a connection, or nothing. Called once for each connection. */
export type CredentialsProvider = (
  request: CredentialsRequest,
) => UpstreamCredentials | undefined | Promise<UpstreamCredentials | undefined>

/** One server of a gateway. */
export interface GatewayServerOptions
  extends Pick<
    ConnectionOptions,
    'era' | 'protocolVersion' | 'probeTimeoutMs' | 'connectTimeoutMs' | 'headers' | 'auth' | 'fetch' | 'proxy' | 'http'
  > {
  /** The target of the connection: a URL, a command, a server in this process, a channel or an Exchange. */
  readonly target: ConnectTarget
  /** The prefix for the names of its items. An empty one leaves names unchanged. Default: the name of the server. */
  readonly alias?: string
  /** Leaves the server out. Default: false. */
  readonly disabled?: boolean
  /** While the server is unavailable, requests to all servers, such as lists, fail. Otherwise they leave this server out. Default: false. */
  readonly required?: boolean
  /**
   * `shared`: all callers share the connections and child processes. `principal`: each authenticated caller has its own, one for each client, set of
   * scopes and claims. `session`: each session
   * of a client has its own, which end `idleTimeoutMs` after its last use; clients of the newest revision have no sessions, and share as with
   * `principal`.
   * Default: `shared`, or `principal` with `credentials`.
   */
  readonly sharing?: 'shared' | 'principal' | 'session'
  /** Returns the credentials of a connection. Default: the provider of the gateway. */
  readonly credentials?: CredentialsProvider
  /** The tools to offer. */
  readonly tools?: ItemRules
  /** The prompts to offer. */
  readonly prompts?: ItemRules
  /** The resources and resource templates to offer, by URI. */
  readonly resources?: ItemRules
  /** The types of events to offer. */
  readonly events?: ItemRules
  /**
   * Receives the events that the server delivers to webhooks only: what `eventWebhook({ url })` returns. Route the requests to its URL to it. The
   * gateway offers these events by `push`, so that hosts without a public URL get them. Default: such events are left out.
   */
  readonly eventWebhook?: EventWebhook
  /** Middleware for the requests to this server, with the names that the server knows. The first is the outermost. */
  readonly middleware?: readonly Middleware[]
  /**
   * The client capabilities that a program of an older revision is started with. `all`: every kind of input, so that clients with different
   * capabilities share a process; clients without a kind get another process once the program has asked for it. `exact`: those of each client, in
   * processes of their own. Default: `all` for processes with one user, because the gateway has a single user or `sharing` is `principal`, and otherwise
   * `exact`.
   */
  readonly capabilities?: 'all' | 'exact'
  /** Time that a list waits for this server, in milliseconds. Then the server is left out. Default: 2000. */
  readonly listTimeoutMs?: number
  /**
   * Time that a list waits for a program that is started for the first time, in milliseconds since its start. Default: `listTimeoutMs` if that
   * is set, and otherwise 20 seconds.
   */
  readonly startTimeoutMs?: number
  /** Time after which an unused connection is closed, in milliseconds. Default: 10 minutes, and never for the first of those that are shared. */
  readonly idleTimeoutMs?: number
  /** Maximum number of connections, and of child processes. Default: 1000. */
  readonly maxConnections?: number
  /**
   * Maximum number of requests that are sent to the server at the same time, except subscriptions. Over HTTP, each takes a socket. One caller may
   * send half of them. Further ones wait up to 30 seconds; callers that wait take turns. Default: 1000, or 200 for programs and channels.
   */
  readonly maxRequests?: number
}

/** The servers of a gateway, by name. A target alone stands for `{ target }`. */
export type GatewayServers = { readonly [server: string]: ConnectTarget | GatewayServerOptions }

/** Rules for unique names of tools and prompts. */
export interface GatewayNameOptions {
  /**
   * `always`: `server__name`. `on-conflict`: the name of the server is added only to names that several servers have. `never`: names do not
   * change, and the first server wins. Default: `always`.
   */
  readonly mode?: 'always' | 'on-conflict' | 'never'
  /** Maximum length of a name; longer ones end in a hash. Default: 60, which leaves room for the prefix that hosts add. */
  readonly maxLength?: number
  /** Allows dots in names, which some models do not accept. Default: false. */
  readonly dots?: boolean
}

/** Options of a gateway. */
export interface GatewayOptions {
  /** The servers, by name. The name is the prefix of the names of their items. */
  readonly servers: GatewayServers
  /** The name and version of the gateway. */
  readonly info?: Implementation
  /** Instructions for the model, before those of the servers. */
  readonly instructions?: string
  /** Rules for unique names. */
  readonly names?: GatewayNameOptions
  /** Decides what callers see and do. Several policies apply one after another; each can only remove. */
  readonly policy?: GatewayPolicy | readonly GatewayPolicy[]
  /** Returns the credentials of the connections to servers without their own. */
  readonly credentials?: CredentialsProvider
  /** Middleware for all requests. The first is the outermost. */
  readonly middleware?: readonly Middleware[]
  /** Shares state between the processes of one gateway. Default: in memory. */
  readonly stores?: Omit<Stores, 'close'>
  /**
   * The store of the lists that servers offered last. They are kept up to 30 days, and are offered while a server starts or is away, after a restart of the
   * gateway too; `false` keeps none. Lists of callers are kept apart, and those of a server with `auth`, or with credentials of `credentials`, are not kept.
   * Default: encrypted in `stores`, if there are any.
   */
  readonly listStore?: ListStore | false
  /** Keys that seal request states and cursors, as `generateKey` returns them. Default: one key in `stores`. */
  readonly sealingKeys?: readonly string[]
  /** Maximum number of items on a page of a list. Default: 1000. */
  readonly pageSize?: number
  /**
   * Declares that all callers are the same user, as on a laptop. A server over stdio of an older revision does not say which call its questions
   * belong to, so calls of different callers run one after another there; with a single user they run at the same time. Default: false.
   */
  readonly singleUser?: boolean
  /** Time that a call waits for the input of the user, in milliseconds. A legacy server keeps its call open for that time. Default: 15 minutes. */
  readonly requestStateTtlMs?: number
  /** Receives what happens. Default: nothing is reported. */
  readonly onEvent?: OnGatewayEvent
  /**
   * Receives a structured record of each event and each request: a logger of pino or winston, `console`, or anything with their methods. Default:
   * nothing is logged.
   */
  readonly logger?: Logger
}

/** Options of a bridge: those of its server, and of the gateway that it is. */
export type BridgeOptions = Omit<GatewayServerOptions, 'target' | 'alias' | 'disabled' | 'required' | 'middleware'> &
  Omit<GatewayOptions, 'servers' | 'names' | 'instructions' | 'listStore'> & {
    /** The name of the server in events and in the status. Default: `server`. */
    readonly name?: string
  }

/** Returns the options of each server. */
export function serverOptionsOf(servers: GatewayServers): Map<string, GatewayServerOptions> {
  return new Map(Object.entries(servers).map(([name, server]) => [name, isServerOptions(server) ? server : { target: server }]))
}

function isServerOptions(server: ConnectTarget | GatewayServerOptions): server is GatewayServerOptions {
  return typeof server === 'object' && 'target' in server
}
