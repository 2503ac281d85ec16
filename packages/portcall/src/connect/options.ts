import type { AllowedAddress } from '../auth/client/http/address-policy.ts'
import type { DomainServer } from '../cards/client/discover.ts'
import type { DiscoveredEndpoint } from '../cards/client/endpoints.ts'
import type { ClientOptions } from '../client/client.ts'
import type { ClientExtension } from '../client/extension.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import type { OutgoingContext } from '../legacy/client/connection.ts'
import type { Logger } from '../logging/logger.ts'
import type { ProxySetting } from '../net/proxy-setting.ts'
import type { AuthProvider } from '../protocol/authorizer.ts'
import type { HttpClientLimits } from '../transports/http/client/limits.ts'
import type { HeaderSource } from '../transports/http/client/request-headers.ts'
import type { CustomFetch, HttpFetch } from '../transports/http/client/types.ts'
import type { Era } from './era-cache.ts'

/** Sends messages on an open connection as they are. */
export interface WireSender {
  /**
   * Sends a request of the negotiated revision, and resolves to its result. It has no timeout. Absent in the newest revision, where requests
   * of the client are not translated.
   *
   * @throws RpcError when the server responds with an error.
   */
  request?(method: string, params: JsonObject | undefined, context?: OutgoingContext): Promise<JsonObject>
  /** Sends a notification. */
  notify(notification: Notification): Promise<void> | void
}

/** Observes what crosses the wire, below all translation between revisions: for recorders and debuggers. */
export interface WireObserver {
  /** Wraps the client that sends the HTTP requests. */
  wrapFetch?(fetch: HttpFetch): HttpFetch
  /** Wraps a channel: that of each process that is started, or the one that is the target. */
  wrapChannel?(channel: Channel): Channel
  /** Receives what a process writes to stdout, byte for byte, before its channel delivers it. */
  readonly onStdout?: (chunk: Uint8Array) => void
  /**
   * Receives the sender of each connection that opens: the first one, and those that replace it. What it sends has to be declared with
   * `capabilities`: `roots: { listChanged: true }` for `notifications/roots/list_changed`.
   */
  readonly onOpen?: (sender: WireSender) => void
}

/** How to connect, whatever uses the connection. */
export interface ConnectionOptions {
  /** The era of the server, as reported by `onEraDetected`. Skips the probe. */
  readonly era?: Era
  /** Receives the era of the server. Save it, and pass it as `era` the next time. */
  readonly onEraDetected?: (era: Era) => void
  /** The only protocol version to use. Default: the newest version that both sides support. */
  readonly protocolVersion?: string
  /**
   * Timeout of the probe for the server's era, in milliseconds. Default: 5000 for programs and channels, where silence means an older server.
   * Over HTTP there is none: a server that starts on demand may take all of `connectTimeoutMs`.
   */
  readonly probeTimeoutMs?: number
  /** Timeout for connecting, including process start-up and the handshake, in milliseconds. Default: 60,000. */
  readonly connectTimeoutMs?: number
  /** Additional headers of every HTTP request. */
  readonly headers?: HeaderSource
  /** Obtains access tokens for a protected server; `portcall/auth/client` has providers. */
  readonly auth?: AuthProvider
  /** Sends the HTTP requests, instead of this library's client: `fetch` of the platform or of undici, a function around it, or an `HttpFetch`. */
  readonly fetch?: CustomFetch
  /**
   * The proxy for HTTP requests to other machines: `'env'` for those that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` name, a URL,
   * or `false` for none. On other runtimes than Node, the platform decides. Default: `'env'` if `NODE_USE_ENV_PROXY=1`, as for Node's `fetch`;
   * otherwise `false`.
   */
  readonly proxy?: ProxySetting
  /** Limits of the HTTP transport: sizes, timeouts and reconnection. */
  readonly http?: Partial<HttpClientLimits>
  /** Aborts the connection attempt. */
  readonly signal?: AbortSignal
  /** Restarts a process that has exited when the next request needs it. Default: false. */
  readonly restart?: boolean
  /** Receives what a process writes to stderr. */
  readonly onStderr?: (text: string) => void
  /** Observes the bytes and messages on the wire. Default: nothing does. */
  readonly wire?: WireObserver
}

/** How `connect` finds the server of a domain. */
export interface DiscoverySettings {
  /**
   * Decides whether to connect to an endpoint that the domain names, usually by asking the user. Default: only an endpoint on the domain, or below
   * it if there are no credentials in `headers` and `auth`.
   */
  readonly confirm?: (server: DomainServer, endpoint: DiscoveredEndpoint) => boolean | Promise<boolean>
  /** Host names that may have private addresses, or the symbols of `portcall/auth/client`. Default: none. */
  readonly allow?: readonly AllowedAddress[]
}

/** Options of `connect`. */
export interface ConnectOptions<E extends readonly ClientExtension[] = readonly ClientExtension[]>
  extends ClientOptions<E>,
    ConnectionOptions {
  /**
   * Receives a structured record of each event and each request: a logger of pino or winston, `console`, or anything with their methods. Default:
   * nothing is logged.
   */
  readonly logger?: Logger
  /**
   * How the server is found if the URL has no path and is no MCP endpoint: by the catalog and the server card of the domain. `false` never asks
   * for them. Default: they are used if they name an endpoint of this domain.
   */
  readonly discovery?: DiscoverySettings | false
}
