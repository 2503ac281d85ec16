import type { Implementation } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import type { Callbacks } from './http/callbacks.ts'
import type { Operations } from './operations/operations.ts'
import type { Model } from './questions/model.ts'
import type { Questions } from './questions/questions.ts'
import type { Inventories } from './servers/inventories.ts'
import type { TargetLoaders } from './servers/resolver.ts'
import type { ServerList } from './servers/server-list.ts'
import type { ServerSources } from './servers/sources.ts'
import type { TaskNotes } from './servers/task-notes.ts'
import type { EventHub } from './state/event-hub.ts'
import type { InspectorFiles } from './state/files.ts'
import type { Timeline } from './timeline/timeline.ts'
import type { ViewSandboxes } from './views/sandboxes.ts'

/** The entry of a server, as the configuration of a host has it. */
export interface HostEntryText {
  /** The part of the file. */
  readonly text: string
  /** The language of the file. */
  readonly language: 'json' | 'toml'
}

/** The options of the back end. */
export interface BackendOptions {
  /** The name and version that servers see. */
  readonly info: Implementation
  /** Opens configuration files and modules. */
  readonly loaders?: TargetLoaders
  /** Lists the configurations of this machine. */
  readonly sources?: ServerSources
  /** Writes the entry of a server for the configuration of a host. @throws Error if the host is unknown. */
  readonly writeHostEntry?: (host: string, server: { readonly name: string; readonly entry: JsonObject }) => HostEntryText
  /** Where saved servers, calls and task ids are kept. Default: nowhere. */
  readonly directory?: string
}

/** The parts of the back end that everything else builds on. */
export interface CoreParts {
  /** The options of the inspector. */
  readonly options: BackendOptions
  /** Distributes events to pages. */
  readonly hub: EventHub
  /** The messages that were exchanged. */
  readonly timeline: Timeline
  /** The data that is saved between runs. */
  readonly files: InspectorFiles
  /** The servers and their connections. */
  readonly servers: ServerList
  /** The inventories of the servers. */
  readonly inventories: Inventories
  /** The tasks that were started. */
  readonly tasks: TaskNotes
  /** The operations that run. */
  readonly operations: Operations
  /** The questions that wait for an answer. */
  readonly questions: Questions
  /** Answers sampling requests, if a model is set. */
  readonly model: Model
  /** The proxy pages of views. */
  readonly views: ViewSandboxes
  /** The sign-ins that wait for a redirect. */
  readonly callbacks: Callbacks
}
