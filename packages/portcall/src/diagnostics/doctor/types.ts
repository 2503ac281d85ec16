import type { JsonObject } from '../../jsonrpc/message.ts'
import type { AuthProvider } from '../../protocol/authorizer.ts'
import type { EventCursor, EventDeliveryMode } from '../../protocol/events.ts'

/** The name of a step. */
export type DiagnosisStepId =
  | 'target'
  | 'dns'
  | 'tcp'
  | 'tls'
  | 'http'
  | 'program'
  | 'authorization'
  | 'sign-in'
  | 'era'
  | 'session'
  | 'capabilities'
  | 'lists'
  | 'schemas'
  | 'hosts'
  | 'events'

/** The titles of the steps of a diagnosis, in the order in which they run. */
export const DIAGNOSIS_STEPS: { readonly [step in DiagnosisStepId]: string } = {
  target: 'Target',
  dns: 'DNS',
  tcp: 'TCP connection',
  tls: 'TLS',
  http: 'HTTP',
  program: 'Program',
  authorization: 'Authorization metadata',
  'sign-in': 'Sign-in',
  era: 'Protocol version',
  session: 'Sessions and streams',
  capabilities: 'Capabilities',
  lists: 'Lists',
  schemas: 'Schemas',
  hosts: 'Limits of hosts',
  events: 'Events',
}

/** The outcome of a step. `skipped`: it does not apply to this server. */
export type StepVerdict = 'passed' | 'warning' | 'failed' | 'skipped'

/** A fact that a step observed: a status, a header, bytes, a line of stderr. Secrets are masked. */
export interface Evidence {
  /** The name of the observation, such as `status` or `stderr`. */
  readonly label: string
  /** The observation. It may have several lines. */
  readonly value: string
}

/** A problem that a step found. */
export interface DiagnosisProblem {
  /** The stable name of the problem, such as `connection-refused`. */
  readonly code: string
  /** `error`: clients cannot use the server, or a part of it. `warning`: some of them cannot. */
  readonly severity: 'error' | 'warning'
  /** The fault. */
  readonly message: string
  /** The change that it needs. */
  readonly advice: string
  /** The subject of the problem, such as `tool search`, if the step looks at several things. */
  readonly where?: string
}

/** The result of a step. */
export interface StepResult {
  /** The step. */
  readonly step: DiagnosisStepId
  /** Its title, for display. */
  readonly title: string
  /** Its outcome. */
  readonly verdict: StepVerdict
  /** The outcome in one sentence. */
  readonly summary: string
  /** The observations, in order. */
  readonly evidence: readonly Evidence[]
  /** The faults; empty if the step passed. */
  readonly problems: readonly DiagnosisProblem[]
  /** How long the step took, in milliseconds. */
  readonly durationMs: number
}

/** The result of all steps. */
export interface Diagnosis {
  /** `failed` if a step failed, otherwise `warning` if one has a warning. */
  readonly verdict: 'passed' | 'warning' | 'failed'
  /** The first step that failed. */
  readonly failedStep: DiagnosisStepId | undefined
  /** The steps that ran. */
  readonly steps: readonly StepResult[]
  /** The steps that could not run, because an earlier one failed. */
  readonly notReached: readonly DiagnosisStepId[]
}

/** An event that `diagnose` yields. */
export type DiagnosisEvent =
  | {
      /** A step starts. */
      readonly type: 'step-started'
      /** The step. */
      readonly step: DiagnosisStepId
      /** Its title, for display. */
      readonly title: string
    }
  | {
      /** A step has ended. */
      readonly type: 'step-finished'
      /** Its result. */
      readonly result: StepResult
    }
  | {
      /** All steps have ended. This is the last event. */
      readonly type: 'finished'
      /** The result of all steps. */
      readonly diagnosis: Diagnosis
    }

/** A delivery that a receiver got, and refused. */
export interface ReceivedEventDelivery {
  /** Its headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Its body, as received. */
  readonly body: string
  /** When it arrived, in milliseconds since 1970, by the clock of the receiver. Default: now. */
  readonly receivedAt?: number
}

/** The webhook of a host. */
export interface DiagnosedWebhook {
  /** Its URL. */
  readonly url: string
  /** The secret that signs the deliveries. */
  readonly secret: string
}

/** The subscription of a host that receives nothing. */
export interface DiagnosedEvents {
  /** The name of the event type. Default: only the capability and the list are checked. */
  readonly name?: string
  /** The arguments of the subscription. */
  readonly arguments?: JsonObject
  /** The delivery modes that the host can use. Default: all. */
  readonly modes?: readonly EventDeliveryMode[]
  /** The text that the host follows: `chatgpt` looks for the capability `events`. Default: `spec`. */
  readonly profile?: 'spec' | 'chatgpt'
  /** The position that the host has saved. */
  readonly cursor?: EventCursor
  /** The webhook of the host. The subscription is made, or refreshed, as the host does it. */
  readonly webhook?: DiagnosedWebhook
  /** The time until which the host has to refresh its subscription, in ISO 8601, as the server has returned it. */
  readonly refreshBefore?: string | null
  /** A delivery whose signature is checked with the secret of the webhook. */
  readonly delivery?: ReceivedEventDelivery
}

/** Options of `diagnose`. */
export interface DiagnoseOptions {
  /** Checks why a host receives no events. Default: events are not checked. */
  readonly events?: DiagnosedEvents
  /** Additional headers of every HTTP request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Obtains access tokens for a protected server. */
  readonly auth?: AuthProvider
  /** The only protocol version to use. Default: the newest version that both sides support. */
  readonly protocolVersion?: string
  /** Time allowed for each wait for the server, in milliseconds. Default: 4000. */
  readonly stepTimeoutMs?: number
  /** Aborts the diagnosis. */
  readonly signal?: AbortSignal
}
