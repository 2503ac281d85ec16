import type { AllowedAddress } from '../../auth/client/http/address-policy.ts'
import type { PreRegisteredClient } from '../../auth/client/registration/pre-registered.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { AuthExchange, AuthStepId, RuleResult } from './types.ts'

/** Decoded parts of a token. The signature is left out and not verified. */
export interface DecodedToken {
  /** Which token: `access_token` or `id_token`. */
  readonly label: string
  /** Its header. */
  readonly header: JsonObject
  /** Its claims. */
  readonly payload: JsonObject
}

/** A step of a flow so far. Secrets are masked. */
export interface AuthFlowStep {
  /** The step. */
  readonly step: AuthStepId
  /** Its title, for display. */
  readonly title: string
  /** Its outcome. */
  readonly status: 'running' | 'passed' | 'warning' | 'failed' | 'skipped'
  /** The requests and responses, in order. */
  readonly exchanges: readonly AuthExchange[]
  /** The rules that were checked. */
  readonly checks: readonly RuleResult[]
  /** The tokens that the step received, decoded. */
  readonly claims: readonly DecodedToken[]
  /** The decision, in a sentence. */
  readonly summary?: string
  /** How long it took, in milliseconds. */
  readonly durationMs: number
}

/** A flow so far. Secrets are masked. */
export interface AuthFlowState {
  /** `idle`: not started. `paused`: before the request of the step `next`. `waiting`: for the user to sign in at `authorizationUrl`. */
  readonly status: 'idle' | 'running' | 'paused' | 'waiting' | 'done' | 'failed' | 'cancelled'
  /** The steps so far, in order. */
  readonly steps: readonly AuthFlowStep[]
  /** The step that the flow is paused before. */
  readonly next?: AuthStepId
  /** Where the user signs in: https, or http on loopback. */
  readonly authorizationUrl?: string
  /** Why the flow failed. */
  readonly error?: string
}

/** Options of `createAuthDebugger`. */
export interface AuthDebuggerOptions {
  /** Where the authorization server redirects to. Pass what arrives there to `receive`. */
  readonly redirectUri: string
  /** `run`: to the end. `step`: pauses before each request. Default: `run`. */
  readonly mode?: 'run' | 'step'
  /** A client that is registered already. */
  readonly client?: PreRegisteredClient
  /** The URL of a client ID metadata document. */
  readonly clientMetadataUrl?: string
  /** The name of a client that is registered dynamically. Default: `Portcall`. */
  readonly clientName?: string
  /** The scopes to request. Default: those that the server names. */
  readonly scopes?: readonly string[]
  /** Exemptions from the address policy. Default: none. */
  readonly allow?: readonly AllowedAddress[]
  /** Aborts the flow. */
  readonly signal?: AbortSignal
  /** Called with the state after each change. Secrets are masked. */
  readonly onChange?: (state: AuthFlowState) => void
}
