import { type Clients, createClients } from './clients.ts'
import { createProofs, type Proofs } from './dpop.ts'
import type { Ground } from './ground.ts'
import { createTokens, type Granted, type Tokens } from './tokens.ts'

/** A code that waits to be redeemed. */
export interface Code {
  readonly granted: Granted
  readonly redirectUri: string
  readonly challenge: string
  /** Milliseconds since 1970. */
  readonly expires: number
  used: boolean
}

/** A device that waits for its user. */
export interface DeviceCode {
  readonly userCode: string
  readonly clientId: string
  readonly scope: string
  readonly resources: readonly string[]
  /** Milliseconds since 1970. */
  readonly expires: number
  /** When it asked last; milliseconds since 1970. */
  asked: number
  /** Seconds between two questions. */
  interval: number
  /** What the user said. */
  outcome: { readonly granted: Granted } | { readonly error: string } | undefined
}

/** What the endpoints of one authorization server share. */
export interface Realm extends Ground {
  readonly clients: Clients
  readonly tokens: Tokens
  readonly proofs: Proofs
  /** By code. */
  readonly codes: Map<string, Code>
  /** By device code. */
  readonly devices: Map<string, DeviceCode>
  /** Ids of assertions that were used. */
  readonly assertions: Set<string>
}

/** Makes what the endpoints of a server share. */
export function createRealm(ground: Ground): Realm {
  return {
    ...ground,
    clients: createClients(ground.options),
    tokens: createTokens(ground),
    proofs: createProofs(ground),
    codes: new Map(),
    devices: new Map(),
    assertions: new Set(),
  }
}
