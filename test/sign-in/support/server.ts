import type { Verifier } from 'portcall/auth/server'

/** The scopes of all protected servers. */
export const SCOPES = ['notes:read', 'notes:write']

/** The users of all authorization servers. */
export const USERS = ['ada', 'bob'] as const
export type UserName = (typeof USERS)[number]

export const passwordOf = (user: string): string => `secret-of-${user}-2026`
export const emailOf = (user: string): string => `${user}@example.com`

/** Abilities that an authorization server, or the server that it protects, may lack. */
export type Ability =
  | 'registration'
  | 'registered client'
  | 'step-up'
  | 'rejected token'
  | 'forgotten client'
  | 'dpop'
  | 'client credentials'
  | 'device code'

/** A client that was registered by hand. */
export interface RegisteredClient {
  readonly clientId: string
  readonly clientSecret?: string
  readonly authentication?: 'client_secret_basic' | 'client_secret_post' | 'none'
  /** Its redirect URI. Default: `http://127.0.0.1/callback`, with any port. */
  readonly redirectUri?: string
}

/** Where a protected server listens. */
export interface Place {
  readonly url: string
  readonly port: number
}

/** A running authorization server. */
export interface RunningServer {
  readonly issuer: string
  /** Checks its tokens in a Portcall server. Without it, the server itself serves MCP at the place that it was given. */
  readonly verify?: Verifier
  readonly clients: {
    /** Signs users in. */
    readonly app?: RegisteredClient
    /** Acts on its own behalf. */
    readonly program?: RegisteredClient
    /** Signs users in on another device. Without it, such clients are registered dynamically. */
    readonly device?: RegisteredClient
  }
  /** Forgets the clients that were registered dynamically. */
  forgetClients(): Promise<void>
  /** Revokes all tokens. */
  revokeTokens(): Promise<void>
  /** Revokes all access tokens, and no refresh token. */
  revokeAccessTokens?(): Promise<void>
  /** Requires all scopes for each request from now on, or no longer. For servers whose tools cannot require scopes. */
  requireAllScopes?(required: boolean): Promise<void>
  close(): Promise<void>
}

/** An authorization server of another make. */
export interface ForeignServer {
  /** Its name on the command line. */
  readonly name: string
  /** The product and its version. */
  readonly title: string
  /** The abilities that it lacks, with the reasons. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>
  /** Starts it for a protected server at a place. */
  start(place: Place): Promise<RunningServer>
}
