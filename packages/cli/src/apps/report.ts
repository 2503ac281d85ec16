/** The run of an action of `portcall apps`, and the report of `portcall apps test`. */
import type { TestHost, ViewFinding } from 'portcall/apps/testing'
import type { Client } from 'portcall/client'
import type { Finding } from 'portcall/diagnostics'
import type { ServerArgument } from '../command.ts'
import type { Io } from '../io.ts'
import type { AppsFlags } from './flags.ts'
import type { Setting } from './views.ts'

/** A view in one host, and what is wrong with it. */
export interface TestedSetting extends Setting {
  readonly tool: string
  readonly readyMs?: number
  readonly paintedMs?: number
  readonly size: { readonly width: number; readonly height: number }
  readonly findings: readonly ViewFinding[]
}

/** The outcome of a run. */
export interface AppsReport {
  readonly views: readonly TestedSetting[]
  /** Findings that do not depend on the host: those of `portcall check` about views. */
  readonly findings: readonly Finding[]
  /** The checks that could not be made. */
  readonly skipped: readonly string[]
  readonly browser: string
}

/** The parts of a run. */
export interface AppsRun {
  readonly flags: AppsFlags
  readonly client: Client
  readonly host: TestHost
  readonly server: ServerArgument
  readonly io: Io
}
