/** The parts that the steps of a diagnosis share. */
import type { Client } from '../../client/types.ts'
import type { ConnectTarget } from '../../connect/target.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ServerInventory } from '../quality/inventory.ts'
import type { LintResult } from '../quality/lint.ts'
import type { DiagnoseOptions, StepResult } from './types.ts'

/** The reaction of a server to a request, down to the bytes. Never contains an exception: a failure is an observation too. */
export interface HttpObservation {
  readonly method: string
  readonly url: URL
  /** The headers of the request. */
  readonly sent: Readonly<Record<string, string>>
  /** Absent if there was no response. */
  readonly status?: number
  /** The headers of the response, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The first 64 KiB of the body. */
  readonly body: string
  /** How many bytes of the body arrived. */
  readonly bytes: number
  /** True if the body ended by itself. */
  readonly isComplete: boolean
  readonly durationMs: number
  /** Why there is no response, or no complete one. `TIMEOUT` if the server was too slow. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** The requests that find out what speaks at a URL. */
export type AttemptName = 'discover' | 'initialize' | 'sse'

/** One of these requests, and what the server did with it. */
export interface HttpAttempt {
  readonly name: AttemptName
  readonly observation: HttpObservation
  /**
   * `result`: it worked. `error`: a JSON-RPC error. `unauthorized`: the server requires authorization. `other`: not the response of an MCP
   * server, or none at all.
   */
  readonly answer: 'result' | 'error' | 'unauthorized' | 'other'
  /** The JSON-RPC response, if there is one. */
  readonly response: JsonObject | undefined
}

/** The outcome of connecting: a client or an error, and what a program printed. */
export interface ConnectionOutcome {
  readonly client?: Client
  readonly error?: unknown
  /** How long it took to connect, or to fail, in milliseconds. */
  readonly openedAfterMs: number
  /** The text that the program wrote to stderr. */
  readonly stderr: string
  /** The text that the program wrote to stdout that is not a message. */
  readonly strayOutput: string
  /** The mistakes of the server that the client has worked around so far. */
  readonly warnings: readonly string[]
}

/** A step without what the runner adds. */
export type StepOutcome = Pick<StepResult, 'verdict' | 'summary'> & Partial<Pick<StepResult, 'evidence' | 'problems'>>

/** The facts that the steps learn about a server, each from those before it. */
export interface DiagnosisState {
  readonly target: ConnectTarget
  readonly options: DiagnoseOptions
  readonly stepTimeoutMs: number
  readonly signal: AbortSignal
  /** The facts that the steps have learned so far. */
  readonly known: KnownFacts
}

/** Facts that later steps use. A step sets what it has learned. */
export interface KnownFacts {
  url?: URL
  addresses?: readonly string[]
  attempts?: readonly HttpAttempt[]
  connection?: ConnectionOutcome
  inventory?: ServerInventory
  quality?: LintResult
}

/** Runs one step. */
export type RunStep = (state: DiagnosisState) => Promise<StepOutcome>
