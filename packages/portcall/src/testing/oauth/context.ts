import { type ClientStore, createClientStore } from './clients.ts'
import { createProofVerifier, type ProofVerifier } from './dpop.ts'
import type { ServerSettings } from './settings.ts'
import { type AccessGrant, createTokenIssuer, type TokenIssuer } from './tokens.ts'

/** An authorization code that was issued. */
export interface AuthorizationCode {
  readonly grant: AccessGrant
  readonly redirectUri: string
  readonly challenge: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  isUsed: boolean
}

/** A device that waits for its user. */
export interface PendingDevice {
  readonly userCode: string
  readonly clientId: string
  readonly scope: string
  readonly resources: readonly string[]
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** The time of the last token request, in milliseconds since 1970. */
  lastPolledAt: number
  pollIntervalMs: number
  /** Undefined until the user has decided. */
  decision: { readonly grant: AccessGrant } | { readonly error: string } | undefined
}

/** The settings and the state that the endpoints of a server share. */
export interface AuthorizationContext extends ServerSettings {
  readonly clients: ClientStore
  readonly tokens: TokenIssuer
  readonly dpop: ProofVerifier
  /** By code. */
  readonly codes: Map<string, AuthorizationCode>
  /** By device code. */
  readonly devices: Map<string, PendingDevice>
  /** The IDs of the assertions that were used. */
  readonly usedAssertions: Set<string>
}

export function createAuthorizationContext(settings: ServerSettings): AuthorizationContext {
  return {
    ...settings,
    clients: createClientStore(settings.options),
    tokens: createTokenIssuer(settings),
    dpop: createProofVerifier(settings),
    codes: new Map(),
    devices: new Map(),
    usedAssertions: new Set(),
  }
}
