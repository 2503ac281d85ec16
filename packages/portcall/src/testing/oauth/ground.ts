import type * as Jose from 'jose'
import type { AuthorizationFaults } from './faults.ts'
import type { KeyRing } from './keys.ts'
import type { AuthorizationServerOptions, ConsentRequest, Decision, Lifetimes } from './options.ts'

/** What all parts of an authorization server stand on. */
export interface Ground {
  readonly jose: typeof Jose
  readonly options: AuthorizationServerOptions
  readonly issuer: string
  readonly lifetimes: Lifetimes
  readonly keys: KeyRing
  /** Milliseconds since 1970. */
  now(): number
  faults(): AuthorizationFaults
  decide(request: ConsentRequest): Decision | Promise<Decision>
}

/** Seconds since 1970. */
export function secondsOf({ now }: Pick<Ground, 'now'>): number {
  return Math.floor(now() / 1000)
}

/** A text that cannot be guessed. */
export function random(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
