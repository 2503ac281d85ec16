import type * as Jose from 'jose'
import type { AuthorizationFaults } from './faults.ts'
import type { AuthorizationServerOptions, TokenLifetimes, UserDecision, UserDecisionRequest } from './options.ts'
import type { SigningKeys } from './signing-keys.ts'

/** The settings of an authorization server. */
export interface ServerSettings {
  readonly jose: typeof Jose
  readonly options: AuthorizationServerOptions
  readonly issuer: string
  readonly lifetimes: TokenLifetimes
  readonly keys: SigningKeys
  /** Returns the current time, in milliseconds since 1970. */
  now(): number
  faults(): AuthorizationFaults
  decide(request: UserDecisionRequest): UserDecision | Promise<UserDecision>
}

/** Returns the current time, in seconds since 1970. */
export function nowSeconds({ now }: Pick<ServerSettings, 'now'>): number {
  return Math.floor(now() / 1000)
}
