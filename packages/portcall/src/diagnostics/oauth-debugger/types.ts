import type { JsonObject } from '../../jsonrpc/message.ts'

/** The name of a step of a sign-in. */
export type AuthStepId =
  | 'challenge'
  | 'resource-metadata'
  | 'server-metadata'
  | 'registration'
  | 'authorization'
  | 'callback'
  | 'token'
  | 'call'
  | 'refresh'
  | 'step-up'

/** The titles of the steps of a sign-in, in order. */
export const AUTH_STEPS: { readonly [step in AuthStepId]: string } = {
  challenge: 'Challenge',
  'resource-metadata': 'Resource metadata',
  'server-metadata': 'Authorization server metadata',
  registration: 'Client registration',
  authorization: 'Authorization request',
  callback: 'Authorization response',
  token: 'Token request',
  call: 'Call with the token',
  refresh: 'Refresh',
  'step-up': 'Step-up',
}

/** A request of the flow and what came back. It contains secrets: mask it before it leaves this process. */
export interface AuthExchange {
  /** Counts the exchanges of a flow, from 1. */
  readonly id: number
  /** The step that sent the request. */
  readonly step: AuthStepId
  /** The HTTP method. */
  readonly method: string
  /** The URL, with its query. */
  readonly url: string
  /** The headers of the request, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of the request. */
  readonly body?: string
  /** The response; absent if there was none. */
  readonly response?: AuthExchangeResponse
  /** Why there is no response. */
  readonly error?: string
  /** How long the exchange took, in milliseconds. */
  readonly durationMs: number
}

/** The response of an exchange. */
export interface AuthExchangeResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body. */
  readonly body: string
}

/** The facts that the exchanges of a flow have shown so far. Rules read it. */
export interface AuthFacts {
  /** The URL of the MCP server. */
  readonly endpoint: URL
  /** All exchanges, in order. */
  readonly exchanges: readonly AuthExchange[]
  /** The issuer that the resource metadata names, or the origin of a server without metadata. */
  readonly issuer?: string
  /** The client that the flow uses. */
  readonly clientId?: string
  /** True if the user configured a client. */
  readonly hasConfiguredClient: boolean
  /** The authorization request. */
  readonly authorizationUrl?: URL
  /** The `state` that the authorization request contains. */
  readonly expectedState?: string
  /** The `state` values of earlier responses. */
  readonly usedStates?: ReadonlySet<string>
  /** The redirect URI of the client. */
  readonly redirectUri?: string
  /** The parameters of the authorization response. */
  readonly callback?: URLSearchParams
  /** The `resource` parameter. */
  readonly resource?: string
  /** The scopes that were requested. */
  readonly scope?: string
  /** The current time, in milliseconds since 1970. */
  readonly now: number
}

/** A document that a rule refers to. */
export interface RuleSection {
  /** The document and the section, such as `RFC 8414 §3.3`. */
  readonly name: string
  /** Where to read it. */
  readonly url: string
}

/** A violation that a rule found. */
export interface AuthRuleViolation {
  /** The fault. */
  readonly message: string
  /** The change that it needs. */
  readonly advice: string
}

/** A rule of the specification, checked against the observed exchanges. */
export interface AuthRule {
  /** The stable name of the rule. */
  readonly id: string
  /** The step that it belongs to. */
  readonly step: AuthStepId
  /** The requirement, as a sentence. */
  readonly title: string
  /** Where the rule is from. */
  readonly section: RuleSection
  /** `error`: clients have to stop. `warning`: some clients fail, or it is less secure. */
  readonly severity: 'error' | 'warning'
  /** Returns the violation, `undefined` if the rule holds, or `null` if nothing was observed that it applies to. */
  check(facts: AuthFacts): AuthRuleViolation | undefined | null
}

/** The result of a rule. */
export interface RuleResult {
  /** The stable name of the rule. */
  readonly rule: string
  /** The step that it belongs to. */
  readonly step: AuthStepId
  /** The requirement, as a sentence. */
  readonly title: string
  /** Where the rule is from. */
  readonly section: RuleSection
  /** The verdict. */
  readonly verdict: 'passed' | 'warning' | 'failed'
  /** The fault, unless the rule holds. */
  readonly message?: string
  /** The advice, unless the rule holds. */
  readonly advice?: string
}

/** A document of the flow, and where it was found. */
export interface FoundDocument {
  readonly exchange: AuthExchange
  readonly document: JsonObject
}
