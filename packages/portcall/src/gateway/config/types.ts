import type { ToolSearchOptions } from '../../compose/search/tool-search.ts'
import type { ConfigPath } from '../../connect/config/document-types.ts'
import type { ServerConfig } from '../../connect/config/types.ts'
import type { GatewayOptions, GatewayServerOptions } from '../api/options.ts'
import type { ClaudeChannelOptions } from '../channel/types.ts'
import type { ToolSetOptions } from '../policy/tool-set.ts'
import type { GatewayAccountSettings, GatewayServerAuth } from './access-settings.ts'
import type { GatewayPolicySettings } from './policy-settings.ts'

/** Something wrong in a configuration, and where. */
export interface ConfigIssue {
  readonly path: ConfigPath
  readonly message: string
}

/** An issuer of access tokens. */
export interface GatewayIssuer {
  /** The `iss` of its access tokens. */
  readonly issuer: string
  /** The URL of its keys. Default: what its metadata says. */
  readonly jwksUri?: string
  /** The `aud` of its access tokens, if it is not the resource. */
  readonly audience?: string
  /** Lets access tokens without `sub` belong to the client itself. Default: false, they are refused. */
  readonly clientTokens?: boolean
}

/** An API key: the key, or its hash. */
export interface GatewayApiKey {
  /** The user or program that the key identifies. */
  readonly subject: string
  /** The key itself. */
  readonly key?: string
  /** The SHA-256 of the key in base64url. */
  readonly hash?: string
  /** The scopes of the key. Default: none. */
  readonly scopes?: readonly string[]
}

/** Authentication of callers. */
export interface GatewayAuthSettings {
  /** The URL by which clients reach the gateway. */
  readonly resource: string
  /** The issuers of access tokens. */
  readonly issuers?: readonly (string | GatewayIssuer)[]
  /** The API keys that are accepted. */
  readonly apiKeys?: readonly GatewayApiKey[]
  /** The scopes that every request needs. */
  readonly scopes?: readonly string[]
}

/** The address on which a gateway listens. */
export interface GatewayListenSettings {
  /** The port; 0 for any free port. */
  readonly port?: number
  /** The address. */
  readonly host?: string
  /** The path of the endpoint. */
  readonly path?: string
  /** The names of the gateway in the `Host` header. */
  readonly allowedHosts?: readonly string[]
  /** The origins of web pages that may call. */
  readonly allowedOrigins?: readonly string[]
  /** The treatment of clients of the legacy revisions. */
  readonly legacy?: 'sessions' | 'stateless' | 'off'
  /** A server card, and a catalog of the servers, which have paths of their own. Default: false. */
  readonly card?: boolean
  /** Time for running calls to finish when the gateway stops, in milliseconds. */
  readonly drainTimeoutMs?: number
  /** Time in which the gateway continues to serve after a signal, in milliseconds. */
  readonly shutdownDelayMs?: number
}

/** The endpoint to which servers deliver events. */
export interface GatewayEventWebhookSettings {
  /** Its public URL. */
  readonly url: string
  /** The names of the servers that need the option `eventWebhook`. */
  readonly servers: readonly string[]
}

/** The admin endpoint of a gateway. */
export interface GatewayAdminSettings {
  /** The port; 0 for any free port. */
  readonly port?: number
}

/** The settings of the gateway process, as opposed to those of `createGateway`. */
export interface GatewaySettings {
  /** The address on which it listens. */
  readonly listen: GatewayListenSettings
  /** Authentication of callers. Absent: everybody may call. */
  readonly auth?: GatewayAuthSettings
  /** The URL of the store, such as `sqlite:gateway.db`. */
  readonly store?: string
  /** The admin endpoint; `false` disables it. */
  readonly admin: false | GatewayAdminSettings
  /** The sets of tools, by name. */
  readonly sets?: { readonly [name: string]: ToolSetOptions }
  /** Keeps the lists that servers offered last. Default: true. */
  readonly keepLists?: boolean
  /** Start of programs: with the gateway, or when they are first needed. Default: `now`. */
  readonly start?: 'now' | 'on-demand'
  /** Lists three tools that search, describe and call, instead of all. */
  readonly search?: boolean | ToolSearchOptions
  /** The events that Claude Code receives over stdio. */
  readonly channel?: Omit<ClaudeChannelOptions, 'onError'>
  /** The accounts of users at servers. */
  readonly accounts?: GatewayAccountSettings
  /** The endpoint to which servers deliver events, if there are any that do. */
  readonly eventWebhook?: GatewayEventWebhookSettings
  /** Authentication to servers, by their name. */
  readonly serverAuth?: { readonly [server: string]: GatewayServerAuth }
}

/** A configuration of a gateway. */
export interface GatewayConfig {
  /** The options of `createGateway`. Stores and policies are not part of them. */
  readonly options: GatewayOptions
  /** The settings of the process around the gateway. */
  readonly settings: GatewaySettings
  /** The settings of the policies, for `createConfiguredPolicies`. */
  readonly policies: GatewayPolicySettings
  /** Messages about parts of the configuration that are ignored. */
  readonly warnings: readonly string[]
  /** The reasons why servers are left out whose entries cannot be used, by name. */
  readonly unusable: { readonly [server: string]: string }
}

/** The settings of one server. */
export interface GatewayServerSettings
  extends Omit<
    GatewayServerOptions,
    'target' | 'headers' | 'auth' | 'fetch' | 'proxy' | 'http' | 'credentials' | 'middleware' | 'eventWebhook'
  > {
  /** Receives the events that the server delivers to webhooks only. */
  readonly eventWebhook?: boolean
  /** Authentication to the server. */
  readonly auth?: GatewayServerAuth
}

/** The `gateway` section, as the schema describes it. */
export type GatewaySection = Partial<Omit<GatewaySettings, 'serverAuth' | 'eventWebhook'>> &
  GatewayPolicySettings &
  Pick<GatewayOptions, 'info' | 'instructions' | 'names' | 'sealingKeys' | 'pageSize' | 'requestStateTtlMs'> & {
    readonly servers?: { readonly [name: string]: GatewayServerSettings }
    readonly eventWebhook?: Partial<Pick<GatewayEventWebhookSettings, 'url'>>
  }

/** A server that can be used. */
export type UsableServer = Exclude<ServerConfig, { readonly disabled: true } | { readonly error: unknown }>
