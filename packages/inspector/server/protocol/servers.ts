/** Types of the inspector's protocol: servers, how to connect to them, and what they offer. Types only. */

import type { ClientCapabilities, Implementation, LoggingLevel, ServerCapabilities } from 'portcall'
import type { Prompt, Resource, ResourceTemplate, Tool } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'

/** Where a server is. The text forms are those of the command line. */
export type InspectorTarget =
  | {
      /** A server at a URL. */
      readonly kind: 'url'
      /** Its `http:` or `https:` URL. */
      readonly url: string
    }
  | {
      /** A program, which the back end starts on this machine. */
      readonly kind: 'program'
      /** The program: a path, or a name in `PATH`. It is not run by a shell. */
      readonly command: string
      /** Its arguments. */
      readonly args: readonly string[]
    }
  | {
      /** A module on this machine that exports a server. The back end runs it in its own process. */
      readonly kind: 'module'
      /** The path of the module. */
      readonly path: string
    }
  | {
      /** A server of a configuration file, read again for each connection. */
      readonly kind: 'config'
      /** The path of the file. */
      readonly path: string
      /** The name of the server in the file. */
      readonly name: string
    }
  | {
      /** The server that `inspectorHandler` was created for. Only the back end can add it. */
      readonly kind: 'embedded'
    }

/** How to connect. Everything is optional; a change takes effect with the next connection. */
export interface ConnectionSettings {
  /** The only protocol version to use: one of `InspectorState.revisions`. Default: automatic. */
  readonly revision?: string
  /** Skips the probe. `http+sse` is the transport of the oldest revision. Default: detected. */
  readonly era?: 'modern' | 'legacy' | 'http+sse'
  /** Headers of every HTTP request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Environment variables of a program. */
  readonly env?: Readonly<Record<string, string>>
  /** Working directory of a program. */
  readonly cwd?: string
  /** Time to connect, in milliseconds. Default: 60,000. */
  readonly connectTimeoutMs?: number
  /** Time to wait for the probe, in milliseconds. Default: 5000. */
  readonly probeTimeoutMs?: number
  /** Time without a response or progress, in milliseconds. Default: 60,000. */
  readonly requestTimeoutMs?: number
  /** Total time of a request, in milliseconds. Default: 600,000. */
  readonly totalTimeoutMs?: number
  /** Level of the log messages that the server is asked for. */
  readonly logLevel?: LoggingLevel
  /** Input that the inspector declares it can provide. Default: all of them. */
  readonly declare?: {
    /** Form elicitation. */
    readonly elicitForm?: boolean
    /** URL elicitation. */
    readonly elicitUrl?: boolean
    /** Sampling. */
    readonly sampling?: boolean
    /** Roots. */
    readonly roots?: boolean
    /** The tasks extension. */
    readonly tasks?: boolean
    /** The skills extension. */
    readonly skills?: boolean
    /** The Events extension. */
    readonly events?: boolean
    /** The Apps extension: views of tools. */
    readonly views?: boolean
  }
  /** Further capabilities to declare, as they appear on the wire. */
  readonly capabilities?: ClientCapabilities
  /** The roots of this server. They can be edited while connected (`set-roots`). */
  readonly roots?: readonly InspectorRoot[]
  /** True to sign in with OAuth when the server demands it: the address then appears as a question. Default: true. */
  readonly signIn?: boolean
}

/** A root, as the inspector presents it to a server. */
export interface InspectorRoot {
  /** A `file:` URI. */
  readonly uri: string
  /** A name for display. */
  readonly name?: string
}

/** The state of a server in the inspector. */
export type InspectorServerStatus = 'idle' | 'connecting' | 'connected' | 'failed' | 'disconnected' | 'recording'

/** One attempt of the back end to find out how to talk to a server. */
export interface ProbeStep {
  /** The attempt, in a few words: `server/discover`, `initialize`, `GET event stream`. */
  readonly tried: string
  /** The outcome: `HTTP 405`, `-32601 Method not found`, `2026-07-28`. */
  readonly outcome: string
  /** True if the server answered as hoped. */
  readonly ok: boolean
  /** The entries of the timeline that show it. */
  readonly entryIds: readonly number[]
  /** Duration in milliseconds, if it has ended. */
  readonly durationMs?: number
}

/** The methods that a client can send in a revision. */
export interface MethodNames {
  /** The revision. */
  readonly revision: string
  /** Its requests, with those of the extensions that the inspector knows. */
  readonly requests: readonly string[]
  /** Its notifications. */
  readonly notifications: readonly string[]
}

/** How the revision of a connection was chosen. */
export interface Negotiation {
  /** The revision in use, once connected. */
  readonly revision?: string
  /** The era of the server, once detected. */
  readonly era?: 'modern' | 'legacy' | 'http+sse'
  /** The transport in use. */
  readonly transport?: 'stdio' | 'streamable-http' | 'http+sse' | 'in-process'
  /** The revisions that the server named, if it did. */
  readonly offered?: readonly string[]
  /** The steps of the probe, in order. */
  readonly steps: readonly ProbeStep[]
  /** Why this revision won, in one sentence for people. */
  readonly reason: string
}

/** A failure, with all that is known about it. */
export interface InspectorFailure {
  /** A stable code, such as `NEGOTIATION_FAILED`, `SPAWN_FAILED`, `TIMEOUT` or `RPC_-32601`. */
  readonly code: string
  /** The event. Untrusted: it may contain text of the server. */
  readonly message: string
  /** The advice. */
  readonly hint?: string
  /** The `error.data` of a JSON-RPC error, the exit of a program, or other evidence. */
  readonly data?: unknown
  /** The HTTP status, if the failure came with one. */
  readonly httpStatus?: number
  /** The error code of JSON-RPC, if the server responded with an error. */
  readonly rpcCode?: number
}

/** A server in the inspector. Sent whole with each change. */
export interface InspectorServer {
  /** Identifies the server. It does not change. */
  readonly id: string
  /** The name for display. */
  readonly name: string
  /** Where the server is. */
  readonly target: InspectorTarget
  /** How to connect. The values of secret headers and variables are masked as `••••`; `update-server` keeps a masked value. */
  readonly settings: ConnectionSettings
  /** The state of the connection. */
  readonly status: InspectorServerStatus
  /**
   * The whole command of a program, or the path of a module, with its directory and variables: what a person confirms. `connect-server`
   * needs this text as `confirm`. Absent if nothing runs on this machine.
   */
  readonly runs?: string
  /** True if the server is kept in the file of saved servers. */
  readonly saved: boolean
  /** How the revision was chosen, as far as known. */
  readonly negotiation?: Negotiation
  /** Why the last attempt to connect failed, or why the connection ended. */
  readonly failure?: InspectorFailure
  /** The server's name and version, as it declares them. */
  readonly info?: Implementation
  /** The server's capabilities. */
  readonly capabilities?: ServerCapabilities
  /** The server's instructions to models. */
  readonly instructions?: string
  /** The roots that it gets. */
  readonly roots: readonly InspectorRoot[]
  /** The level of log messages in force. */
  readonly logLevel?: LoggingLevel
  /** The process id of a running program. */
  readonly pid?: number
  /** When it connected, in milliseconds since 1970. */
  readonly connectedAt?: number
}

/** The kinds of lists of a server. */
export type InventoryKind = 'tools' | 'resources' | 'templates' | 'prompts' | 'skills' | 'tasks' | 'events'

/** The items of each kind of list. */
export interface InventoryItems {
  /** Tools. */
  readonly tools: readonly Tool[]
  /** Resources. */
  readonly resources: readonly Resource[]
  /** Resource templates. */
  readonly templates: readonly ResourceTemplate[]
  /** Prompts. */
  readonly prompts: readonly Prompt[]
  /** Entries of skills, as on the wire. */
  readonly skills: readonly JsonObject[]
  /** Tasks that this inspector started or listed. Kept over a restart of the inspector. */
  readonly tasks: readonly InspectorTask[]
  /** Types of events, as on the wire. */
  readonly events: readonly JsonObject[]
}

/** A task that the inspector knows. */
export interface InspectorTask {
  /** Identifies the task on its server. */
  readonly taskId: string
  /** The tool that it runs, if the inspector started it. */
  readonly toolName?: string
  /** The last state that the server reported, in the newest revision. */
  readonly state?: JsonObject
  /** When the inspector started it, in milliseconds since 1970. */
  readonly startedAt?: number
  /** True if the server says that it does not have the task (any more), because it has expired. */
  readonly isGone?: boolean
}

/** One list of a server. The back end lists tools, resources, templates and prompts after connecting. */
export interface InspectorInventory<Kind extends InventoryKind = InventoryKind> {
  /** The server. */
  readonly serverId: string
  /** The kind of list. */
  readonly kind: Kind
  /** The items. Empty while they are being fetched for the first time. */
  readonly items: InventoryItems[Kind]
  /** `stale`: the server reported a change, and the list is fetched again. */
  readonly status: 'loading' | 'ready' | 'stale' | 'failed' | 'unsupported'
  /** Why it failed. */
  readonly failure?: InspectorFailure
  /** Keys (names or URIs) of the items that were added or changed by the last change, and of those removed. */
  readonly changed?: {
    /** New items. */
    readonly added: readonly string[]
    /** Items with another definition. */
    readonly changed: readonly string[]
    /** Items that are gone. */
    readonly removed: readonly string[]
  }
  /** When it was fetched, in milliseconds since 1970. */
  readonly fetchedAt?: number
}

/** A place that servers can be added from. */
export interface ServerSource {
  /** `host`: the configuration of an application. `file`: one that the user named. `saved`: the saved servers of the inspector. */
  readonly kind: 'host' | 'file' | 'saved'
  /** The title: `Cursor`, the path of a file, `Saved servers`. */
  readonly title: string
  /** The path of the file. */
  readonly path: string
  /** Its servers. */
  readonly servers: readonly SourceServer[]
  /** Why the file cannot be read. */
  readonly failure?: InspectorFailure
}

/** A server of a source. Nothing has been started or contacted. */
export interface SourceServer {
  /** Its name in the source. */
  readonly name: string
  /** Pass this to `add-server`. */
  readonly target: InspectorTarget
  /** The URL, or the whole command with its variables (secrets masked). */
  readonly summary: string
  /** True if the configuration disables it. */
  readonly disabled: boolean
  /** Why its entry is invalid. */
  readonly failure?: InspectorFailure
}
