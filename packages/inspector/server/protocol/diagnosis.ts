/** Types of the inspector's protocol: doctor, OAuth debugger and tool quality. Types only. */
import type { HostVerdict } from 'portcall/diagnostics'
import type { JsonObject, JsonValue } from 'portcall/jsonrpc'
import type { InspectorFailure } from './servers.ts'

/** A run of the connection doctor. Sent whole with each change. */
export interface DoctorRun {
  /** Identifies the run. */
  readonly id: string
  /** The server. */
  readonly serverId: string
  /** The steps, in order. Steps that have not started are `pending`. */
  readonly steps: readonly DoctorStep[]
  /** The state of the run. */
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  /** The first step that failed. */
  readonly firstFailure?: string
  /** Why the doctor itself could not run. */
  readonly failure?: InspectorFailure
}

/** One step of the doctor. */
export interface DoctorStep {
  /** `dns`, `tcp`, `tls`, `http`, `program`, `era`, `authorization`, `capabilities`, `schemas`, `limits` … */
  readonly id: string
  /** The title for display. */
  readonly title: string
  /** The verdict. */
  readonly status: 'pending' | 'running' | 'passed' | 'warning' | 'failed' | 'skipped'
  /** The finding, in a sentence. */
  readonly summary?: string
  /** The evidence: status, headers, bytes, stderr, exit code. Untrusted. */
  readonly evidence?: readonly { readonly label: string; readonly value: string }[]
  /** The change that it needs. */
  readonly hint?: string
  /** The section of the specification, or another document. */
  readonly link?: string
  /** How long it took, in milliseconds. */
  readonly durationMs?: number
}

/** How to start the OAuth debugger. */
export interface OAuthFlowOptions {
  /** `run`: to the end. `step`: pauses before each request. */
  readonly mode: 'run' | 'step'
  /** A client that is registered already. */
  readonly clientId?: string
  /** Its secret. Kept in memory, never returned. */
  readonly clientSecret?: string
  /** The URL of a client id metadata document. */
  readonly clientMetadataUrl?: string
  /** The scopes to request. Default: those that the server names. */
  readonly scopes?: readonly string[]
}

/** A flow of the OAuth debugger. Sent whole with each change. */
export interface OAuthFlow {
  /** Identifies the flow. */
  readonly id: string
  /** The MCP server. No connection is needed. */
  readonly serverUrl: string
  /** Its options, without secrets. */
  readonly options: OAuthFlowOptions
  /** `paused`: before the request of the step `next`. `waiting`: for the user to sign in at `authorizationUrl`. */
  readonly status: 'running' | 'paused' | 'waiting' | 'done' | 'failed' | 'cancelled'
  /** The steps so far. */
  readonly steps: readonly OAuthStep[]
  /** The step that the flow is paused before. */
  readonly next?: string
  /** The whole authorization address: `https:`, or `http:` on loopback. The user opens it. */
  readonly authorizationUrl?: string
  /** Why it failed. */
  readonly failure?: InspectorFailure
}

/** One step of the OAuth debugger. */
export interface OAuthStep {
  /** Identifies the step within its flow. */
  readonly id: string
  /** `challenge`, `resource-metadata`, `server-metadata`, `registration`, `authorization`, `callback`, `token`, `call`, `refresh`, `step-up`. */
  readonly name: string
  /** The title for display. */
  readonly title: string
  /** The verdict. */
  readonly status: 'pending' | 'running' | 'passed' | 'warning' | 'failed' | 'skipped'
  /** The HTTP exchanges, in order. */
  readonly exchanges: readonly OAuthExchange[]
  /** The rules that were checked. */
  readonly checks: readonly OAuthCheck[]
  /** Decoded claims of the tokens of this step, without signatures. */
  readonly claims?: readonly { readonly label: string; readonly header: JsonObject; readonly payload: JsonObject }[]
  /** The decision, in a sentence. */
  readonly summary?: string
  /** How long it took, in milliseconds. */
  readonly durationMs?: number
}

/** A request of the debugger and its response. Secrets are masked as `••••1`, `••••2` …; `reveal` returns the value of one. */
export interface OAuthExchange {
  /** The HTTP method. */
  readonly method: string
  /** The URL. */
  readonly url: string
  /** The headers of the request. */
  readonly requestHeaders: Readonly<Record<string, string>>
  /** The body of the request. */
  readonly requestBody?: string
  /** The status, once the response has arrived. */
  readonly status?: number
  /** The headers of the response. */
  readonly responseHeaders?: Readonly<Record<string, string>>
  /** The body of the response. Untrusted. */
  readonly responseBody?: string
  /** Why there is no response. */
  readonly failure?: string
  /** How long it took, in milliseconds. */
  readonly durationMs?: number
}

/** A rule that the debugger checked. */
export interface OAuthCheck {
  /** The rule: `resource-matches`, `pkce-supported`, `issuer-matches`. */
  readonly rule: string
  /** The verdict. */
  readonly status: 'passed' | 'warning' | 'failed'
  /** The finding. */
  readonly message: string
  /** The section of the RFC or of the specification, as a title. */
  readonly section: string
  /** Its address. */
  readonly link: string
}

/** The result of the quality check. The findings are those of `portcall check`. */
export interface QualityReport {
  /** The server. */
  readonly serverId: string
  /** The findings. */
  readonly findings: readonly QualityFinding[]
  /** The tokens of each tool. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[]
  /** The tokens of all tools. */
  readonly totalTokens: number
  /** How tokens were counted. */
  readonly tokenizer: string
  /** The verdicts of known hosts about the tools. */
  readonly hosts: readonly HostVerdict[]
  /** Definitions that changed since the last time that the inspector saw this server. */
  readonly changedSince?: { readonly time: number; readonly rows: readonly QualityChange[] }
}

/** A finding of the quality check. */
export interface QualityFinding {
  /** How bad it is. */
  readonly level: 'error' | 'warning'
  /** The rule. */
  readonly rule: string
  /** The item: `tool search`, `resource file:///x`, `server`. */
  readonly where: string
  /** The kind of item and its name or URI, to show the finding at the item. */
  readonly item?: { readonly kind: 'tools' | 'resources' | 'templates' | 'prompts'; readonly key: string }
  /** The fault. */
  readonly message: string
  /** The change that it needs. */
  readonly advice: string
  /** The hosts and APIs that have the limit, if it is one of theirs. */
  readonly hosts?: readonly string[]
}

/** A definition that changed. */
export interface QualityChange {
  /** The item: `tool search`. */
  readonly where: string
  /** The kind of the change. */
  readonly change: 'added' | 'removed' | 'changed'
  /** The definition before. */
  readonly before?: JsonValue
  /** The definition now. */
  readonly after?: JsonValue
}
