/** The authentication of a gateway to one server. The members that apply depend on the type. */
export interface GatewayServerAuth {
  /** The kind of credentials. */
  readonly type: 'bearer' | 'client-credentials' | 'token-exchange' | 'user'
  /** The token. */
  readonly token?: string
  /** A file with the token. */
  readonly file?: string
  /** The URL of the authorization server. */
  readonly issuer?: string
  /** The id of the OAuth client. */
  readonly clientId?: string
  /** The secret of the OAuth client. */
  readonly clientSecret?: string
  /** The name that users see when they sign in. */
  readonly clientName?: string
  /** The scopes to request. Default: those that the server names. */
  readonly scopes?: readonly string[]
  /** Additional parameters of the token request. */
  readonly parameters?: { readonly [name: string]: string }
}

/** The login of browsers at the authorization server that issues the tokens of callers. */
export interface GatewayLoginSettings {
  /** The authorization server. Default: the first issuer. */
  readonly issuer?: string
  /** The id of the gateway as an OAuth client. */
  readonly clientId?: string
  /** The secret of this client. */
  readonly clientSecret?: string
  /** The URL of a client ID metadata document. */
  readonly clientMetadataUrl?: string
  /** The scopes to request. */
  readonly scopes?: readonly string[]
}

/** The accounts of users at servers. */
export interface GatewayAccountSettings {
  /** The origin of the gateway, as browsers reach it. */
  readonly origin?: string
  /** The identification of the user of a browser: a login, a header of a reverse proxy, or not at all. Default: a login. */
  readonly identify?:
    | 'insecure-any-browser'
    | GatewayLoginSettings
    | {
        /** The header with the name of the user. */
        readonly header: string
        /** The issuer of the access tokens of these users. */
        readonly issuer?: string
      }
  /** The name of the tool with which users connect an account; `false`: none. */
  readonly tool?: string | false
  /** Lifetime of a link, in milliseconds. */
  readonly signInTtlMs?: number
  /** Time that a call waits for the sign-in, in milliseconds. */
  readonly waitTimeoutMs?: number
}

/** The credentials whose connections belong to one caller. */
export const PER_CALLER: ReadonlySet<string> = new Set(['token-exchange', 'user'])
