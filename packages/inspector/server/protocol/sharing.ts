/** Types of the inspector's protocol: recordings, replays, comparisons and exports. Types only. */
import type { JsonValue } from 'portcall/jsonrpc'
import type { OperationOptions, OperationRequest } from './operations.ts'
import type { InspectorFailure } from './servers.ts'

/** A recording on disk that is being written, or one that was imported. */
export interface InspectorRecording {
  /** Identifies the recording. */
  readonly id: string
  /** The name for display. */
  readonly name: string
  /** `writing`: to `path`. `imported`: opened without its server; its messages are entries of the server `serverId`. */
  readonly status: 'writing' | 'stopped' | 'imported'
  /** The file that is written. */
  readonly path?: string
  /** The servers that are recorded. Empty: all. */
  readonly serverIds: readonly string[]
  /** The read-only server that shows an imported recording: its `status` is `recording`. */
  readonly serverId?: string
  /** The number of messages. */
  readonly messages: number
}

/** A replay of a recording against a server. Sent whole with each change. */
export interface ReplayRun {
  /** Identifies the run. */
  readonly id: string
  /** The recording. */
  readonly recordingId: string
  /** The server. */
  readonly serverId: string
  /** The state of the run. */
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  /** Requests that were sent, and those of the recording. */
  readonly sent: number
  /** See `sent`. */
  readonly total: number
  /** The differences in the answers of the server. */
  readonly differences: readonly DiffRow[]
  /** Why it failed. */
  readonly failure?: InspectorFailure
}

/** One side of a comparison. */
export type DiffSource =
  /** The inventory of a connected server. */
  | { readonly type: 'server'; readonly serverId: string }
  /** An imported recording. */
  | { readonly type: 'recording'; readonly recordingId: string }
  /** A snapshot or a recording as text, chosen by the user. */
  | { readonly type: 'text'; readonly name: string; readonly text: string }

/** The outcome of a comparison. */
export interface DiffReport {
  /** The names of both sides. */
  readonly left: string
  /** See `left`. */
  readonly right: string
  /** The differences. Empty: equal. */
  readonly rows: readonly DiffRow[]
}

/** One difference: one changed member is one row. */
export interface DiffRow {
  /** The item: `tool search`, `tools/call search #2`, `capabilities`. */
  readonly where: string
  /** The member, as a JSON pointer within the item. */
  readonly pointer: string
  /** The kind of the change. */
  readonly change: 'added' | 'removed' | 'changed'
  /** The value on the left. */
  readonly before?: JsonValue
  /** The value on the right. */
  readonly after?: JsonValue
  /** True if clients of the left side can break. Absent if that cannot be told. */
  readonly breaking?: boolean
  /** Why. */
  readonly reason?: string
}

/** The part of the data to export. */
export interface ExportScope {
  /** Only these servers. Default: all. */
  readonly serverIds?: readonly string[]
  /** Only these entries of the timeline. Default: all. */
  readonly entryIds?: readonly number[]
}

/** The formats of an export. All are redacted. `html`: one file that needs nothing else. `ndjson`: a recording of `portcall/testing`. */
export type ExportFormat = 'html' | 'ndjson' | 'har' | 'snapshot'

/** A file to save. */
export interface ExportFile {
  /** A name for the file. */
  readonly fileName: string
  /** Its media type. */
  readonly mimeType: string
  /** Its content. */
  readonly text: string
  /** The number of messages in it. */
  readonly messages: number
  /** The secrets that were replaced: the name of the member or header, and how often. */
  readonly redactions: readonly { readonly name: string; readonly count: number }[]
}

/** The formats of `copy-as`. `host-entry` needs a host. */
export type CopyFormat = 'curl' | 'portcall' | 'typescript' | 'test' | 'host-entry'

/** The source of a copy: an operation that was or could be run, or a message of the timeline. */
export type CopySource =
  /** An operation as the page has it in its form. */
  | { readonly serverId: string; readonly request: OperationRequest; readonly options?: OperationOptions }
  /** A request in the timeline. */
  | { readonly entryId: number }
  /** A server, for `host-entry`. */
  | { readonly serverId: string }
