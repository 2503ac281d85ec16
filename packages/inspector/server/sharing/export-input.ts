import type { BackendParts } from '../backend-parts.ts'
import type { StoredEntry } from '../timeline/timeline.ts'

/** The input of an exporter: the entries of the scope, and the redaction of secrets. */
export interface ExportInput {
  readonly stored: readonly StoredEntry[]
  readonly parts: Pick<BackendParts, 'timeline' | 'state' | 'options'>
  readonly serverIds: readonly string[]
  readonly redact: (value: unknown) => unknown
}
