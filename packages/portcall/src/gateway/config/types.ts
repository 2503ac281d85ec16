import type { ServerConfig } from '../../connect/config/config.ts'
import type { GatewayOptions, GatewayServerOptions } from '../options.ts'

/** An issuer of access tokens. */
export interface GatewayIssuer {
  readonly issuer: string
  readonly jwksUri?: string
  readonly audience?: string
}

/** An API key: the key, or its hash. */
export interface GatewayApiKey {
  readonly subject: string
  readonly key?: string
  readonly hash?: string
  readonly scopes?: readonly string[]
}

/** Who may call a gateway. */
export interface GatewayAuthSettings {
  readonly resource: string
  readonly issuers?: readonly (string | GatewayIssuer)[]
  readonly apiKeys?: readonly GatewayApiKey[]
  readonly scopes?: readonly string[]
}

/** Where a gateway listens. */
export interface GatewayListenSettings {
  readonly port?: number
  readonly host?: string
  readonly path?: string
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
  readonly legacy?: 'sessions' | 'stateless' | 'off'
  readonly drainTimeoutMs?: number
  readonly shutdownDelayMs?: number
}

/** The part of a configuration that concerns the process around the gateway. */
export interface GatewaySettings {
  /** Where it listens. */
  readonly listen: GatewayListenSettings
  /** Who may call. Absent: everybody. */
  readonly auth?: GatewayAuthSettings
  /** The URL of the store, such as `sqlite:gateway.db`. */
  readonly store?: string
  /** The admin endpoint; `false` disables it. */
  readonly admin: false | { readonly port?: number }
}

/** A configuration of a gateway. */
export interface GatewayConfig {
  /** The options of `createGateway`. Stores and policies are not part of them. */
  readonly options: GatewayOptions
  readonly settings: GatewaySettings
  /** The values of the policy keys, with variables replaced. */
  readonly policies: { readonly [key: string]: unknown }
  /** Describes what is ignored. */
  readonly warnings: readonly string[]
}

/** The settings of one server. */
export type GatewayServerSettings = Omit<
  GatewayServerOptions,
  'target' | 'headers' | 'auth' | 'fetch' | 'http' | 'credentials' | 'middleware'
>

/** The `gateway` section, as the schema describes it. */
export type GatewaySection = Partial<GatewaySettings> &
  Pick<GatewayOptions, 'info' | 'instructions' | 'names' | 'sealingKeys' | 'pageSize' | 'requestStateTtlMs'> & {
    readonly servers?: { readonly [name: string]: GatewayServerSettings }
    readonly [policyKey: string]: unknown
  }

/** A server that can be used. */
export type UsableServer = Exclude<ServerConfig, { readonly disabled: true } | { readonly error: unknown }>
