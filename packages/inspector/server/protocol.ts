/**
 * The protocol between the inspector's page and its back end: commands in, events out. This file and the folder `protocol/` hold types only,
 * so the page imports them with `import type`.
 *
 * Routes, all relative to the page (`./api/…`), since the inspector can be mounted below a path:
 *
 * - `GET  open/TOKEN`: the one-time link. Sets the cookie and redirects to the page, with its key in the fragment: `./#key=KEY`. Valid once.
 *   The page stores the key and sends it in `x-inspector-key`, or in the parameter `key` of the event stream.
 * - `POST api/command`: body `{ "name": …, "params": … }` with `content-type: application/json`. Responds `CommandResponse`, with status 200
 *   also for `ok: false`. 401: no cookie or key, open the link again. 403: foreign `Host` or `Origin`.
 * - `GET  api/events?after=SEQ&key=KEY`: server-sent events; the data of each is one `InspectorEvent`, its `id` the sequence number.
 * - `GET  oauth/callback`: where authorization servers redirect to. Matched by `state` alone, once.
 *
 * The stream starts with a `snapshot`, then sends all timeline entries whose `seq` is greater than `after` (all of them without `after`) in
 * batches, then a `ready`, then live events. `EventSource` resumes by itself with `Last-Event-ID`. Everything is an upsert: a later value
 * with the same id replaces the earlier one, so the page's store is a fold over events, and a replayed event changes nothing.
 *
 * Results of operations and questions arrive as events, not as responses of commands, because they outlive a reload of the page.
 */
import type { JsonObject } from 'portcall/jsonrpc'
import type { DoctorRun, OAuthFlow, OAuthFlowOptions, QualityReport } from './protocol/diagnosis.ts'
import type {
  InspectorQuestion,
  OperationOptions,
  OperationRequest,
  OperationState,
  QuestionAnswer,
  SavedAnswer,
  SavedCall,
  SavedCallOutcome,
} from './protocol/operations.ts'
import type {
  ConnectionSettings,
  InspectorFailure,
  InspectorInventory,
  InspectorRoot,
  InspectorServer,
  InspectorTarget,
  MethodNames,
  ServerSource,
} from './protocol/servers.ts'
import type {
  CopyFormat,
  CopySource,
  DiffReport,
  DiffSource,
  ExportFile,
  ExportFormat,
  ExportScope,
  InspectorRecording,
  ReplayRun,
} from './protocol/sharing.ts'
import type { MessageDetail, TimelineEntry } from './protocol/timeline.ts'
import type { BlockedByPolicy, FirstView, ViewNote } from './protocol/views.ts'

/** Everything but the timeline. */
export interface InspectorState {
  /** The version of Portcall. */
  readonly version: string
  /** The version of this protocol. The page reloads itself when it does not know it. */
  readonly protocol: 1
  /** The protocol revisions of MCP, newest first. */
  readonly revisions: readonly string[]
  /** The methods of each revision, newest revision first. */
  readonly methods: readonly MethodNames[]
  /** The servers, in the order of their tabs. */
  readonly servers: readonly InspectorServer[]
  /** Their lists. */
  readonly inventories: readonly InspectorInventory[]
  /** The last operations, oldest first. */
  readonly operations: readonly OperationState[]
  /** Open questions and the last 100 others. */
  readonly questions: readonly InspectorQuestion[]
  /** Saved answers. */
  readonly answers: readonly SavedAnswer[]
  /** Saved calls. */
  readonly calls: readonly SavedCall[]
  /** Runs of the doctor: the last of each server. */
  readonly doctors: readonly DoctorRun[]
  /** Flows of the OAuth debugger. */
  readonly flows: readonly OAuthFlow[]
  /** Recordings. */
  readonly recordings: readonly InspectorRecording[]
  /** Replays. */
  readonly replays: readonly ReplayRun[]
  /** The timeline. */
  readonly timeline: TimelineState
  /** The user's model endpoint for sampling, without its key. */
  readonly model?: ModelEndpoint
  /** The view that a page shows first. */
  readonly firstView?: FirstView
}

/** The state of the timeline's ring. */
export interface TimelineState {
  /** How many entries are kept at most. */
  readonly limit: number
  /** How many are kept now. */
  readonly size: number
  /** Entries with a lower id have been dropped. */
  readonly firstId: number
  /** How many have been dropped. */
  readonly dropped: number
  /** True if new entries are discarded (`pause-timeline`). */
  readonly paused: boolean
}

/** An endpoint of a language model that understands OpenAI's chat completions. */
export interface ModelEndpoint {
  /** The URL of `…/chat/completions`. */
  readonly url: string
  /** The model. */
  readonly model: string
}

/** An event of the stream. Unknown types are to be ignored. */
export type InspectorEvent =
  /** The whole state; replaces everything but the timeline. Entries below `state.timeline.firstId` are gone. */
  | { readonly type: 'snapshot'; readonly state: InspectorState }
  /** The entries that the page had missed have been sent. */
  | { readonly type: 'ready' }
  /** New or changed entries, in the order of their ids within a batch. */
  | { readonly type: 'entries'; readonly entries: readonly TimelineEntry[] }
  /** The ring has dropped entries, been paused or cleared. At most every 250 ms. */
  | { readonly type: 'timeline'; readonly timeline: TimelineState }
  /** The entries of a server, or all, have been discarded. */
  | { readonly type: 'cleared'; readonly serverId?: string }
  | { readonly type: 'server'; readonly server: InspectorServer }
  | { readonly type: 'server-removed'; readonly serverId: string }
  | { readonly type: 'inventory'; readonly inventory: InspectorInventory }
  | { readonly type: 'operation'; readonly operation: OperationState }
  | { readonly type: 'question'; readonly question: InspectorQuestion }
  /** All saved answers. */
  | { readonly type: 'answers'; readonly answers: readonly SavedAnswer[] }
  /** All saved calls. */
  | { readonly type: 'calls'; readonly calls: readonly SavedCall[] }
  | { readonly type: 'doctor'; readonly run: DoctorRun }
  | { readonly type: 'flow'; readonly flow: OAuthFlow }
  | { readonly type: 'flow-removed'; readonly flowId: string }
  | { readonly type: 'recording'; readonly recording: InspectorRecording }
  | { readonly type: 'replay'; readonly run: ReplayRun }
  | { readonly type: 'model'; readonly model: ModelEndpoint | null }
  /** The policy of a view blocked something. */
  | { readonly type: 'view-blocked'; readonly viewId: string; readonly violation: BlockedByPolicy }
  /** The view that a page shows first. */
  | { readonly type: 'first-view'; readonly view: FirstView }
  /** The code of a server was loaded again, on an open connection. */
  | { readonly type: 'reloaded'; readonly serverId: string }

/** The params and the result of each command. */
export interface InspectorCommands {
  /** The state, for tests and for pages that do not listen to events. */
  'get-state': InspectorCommand<Empty, InspectorState>

  /** The configurations of all MCP hosts on this machine, and the saved servers. Reads files; starts nothing. */
  'list-sources': InspectorCommand<Empty, { readonly sources: readonly ServerSource[] }>
  /** Reads a configuration file that the user names. Starts nothing. */
  'read-config': InspectorCommand<{ readonly path: string }, { readonly source: ServerSource }>
  /**
   * Turns what the user typed into a target: a URL, a command line, `FILE:NAME`, or the path of a module. Also understands a JSON entry of a
   * host, whose headers and variables become `settings`. Starts nothing.
   */
  'parse-target': InspectorCommand<
    { readonly text: string },
    { readonly target: InspectorTarget; readonly settings: ConnectionSettings }
  >
  /** Adds a server without connecting. */
  'add-server': InspectorCommand<
    { readonly target: InspectorTarget; readonly name?: string; readonly settings?: ConnectionSettings },
    { readonly serverId: string; readonly server: InspectorServer }
  >
  /** Changes a server. A masked value (`••••`) in `settings` keeps the present one. Reconnect to apply it. */
  'update-server': InspectorCommand<
    ServerParams & { readonly name?: string; readonly target?: InspectorTarget; readonly settings?: ConnectionSettings },
    { readonly server: InspectorServer }
  >
  /**
   * Connects, again if connected. Responds at once; the outcome arrives as `server` events. For a server with `runs`, `confirm` must equal
   * it: the person has seen the whole command. Fails with `CONFIRMATION_REQUIRED` otherwise.
   */
  'connect-server': InspectorCommand<ServerParams & { readonly confirm?: string }, Empty>
  /** Disconnects, and ends the program. */
  'disconnect-server': InspectorCommand<ServerParams, Empty>
  /** Disconnects and removes it, with its timeline entries kept. */
  'remove-server': InspectorCommand<ServerParams, Empty>
  /** Keeps the server, with its settings, in the file of saved servers, or deletes it there. Secrets are not saved. */
  'save-server': InspectorCommand<ServerParams & { readonly saved: boolean }, Empty>
  /** Replaces the roots. A connected server is notified, if its revision allows it, and gets them when it asks the next time. */
  'set-roots': InspectorCommand<ServerParams & { readonly roots: readonly InspectorRoot[] }, Empty>

  /** Starts an operation. Follow its `operation` events. */
  operate: InspectorCommand<
    ServerParams & { readonly request: OperationRequest; readonly options?: OperationOptions },
    { readonly operationId: string }
  >
  /** Cancels an operation; the server is notified. */
  'cancel-operation': InspectorCommand<{ readonly operationId: string }, Empty>
  /** Resolves when the operation has ended, or after `timeoutMs` (default 30,000) with its state then. */
  'wait-operation': InspectorCommand<
    { readonly operationId: string; readonly timeoutMs?: number },
    { readonly operation: OperationState }
  >

  /** Answers a question. `late` explains an answer that nobody waits for. */
  'answer-question': InspectorCommand<
    { readonly questionId: string; readonly answer: QuestionAnswer },
    { readonly late?: string }
  >
  /** Drafts a sampling answer with the user's model endpoint. */
  'ask-model': InspectorCommand<{ readonly questionId: string }, { readonly draft: JsonObject }>
  /** Sets the model endpoint. The key stays in the memory of the back end. `null`: none. */
  'set-model': InspectorCommand<{ readonly model: (ModelEndpoint & { readonly apiKey?: string }) | null }, Empty>
  /** Adds or replaces a saved answer. */
  'save-answer': InspectorCommand<
    { readonly answer: Omit<SavedAnswer, 'id'> & { readonly id?: string } },
    { readonly id: string }
  >
  /** Deletes a saved answer. */
  'delete-answer': InspectorCommand<{ readonly id: string }, Empty>

  /** The whole message, its form in the newest revision and its HTTP exchange. */
  'get-entry': InspectorCommand<{ readonly entryId: number }, MessageDetail>
  /** The ids of the entries whose whole text contains the query, ignoring case. Newest first, at most 5,000. */
  'search-timeline': InspectorCommand<{ readonly query: string }, { readonly entryIds: readonly number[] }>
  /** Discards the entries of one server, or all. */
  'clear-timeline': InspectorCommand<{ readonly serverId?: string }, Empty>
  /** Sets how many entries are kept: 100 to 50,000. */
  'set-timeline-limit': InspectorCommand<{ readonly limit: number }, Empty>
  /** Stops or continues adding entries. */
  'pause-timeline': InspectorCommand<{ readonly paused: boolean }, Empty>
  /**
   * The value of a masked secret: that of a header of an `http` entry, or of a placeholder (`••••1`) of an OAuth flow. Only after a click.
   */
  reveal: InspectorCommand<
    | { readonly entryId: number; readonly header: string; readonly side: 'request' | 'response' }
    | { readonly flowId: string; readonly placeholder: string },
    { readonly value: string }
  >

  /** The URL of the proxy page of a view, for a page of `origin`. `viewId` is a name that the page chooses for the view. */
  'show-view': InspectorCommand<{ readonly origin: string; readonly viewId: string }, { readonly sandbox: string }>
  /** Adds to the timeline what happened between the page and a view; at most 200 notes. */
  'note-view': InspectorCommand<ServerParams & { readonly operationId?: string; readonly notes: readonly ViewNote[] }, Empty>

  /** Starts the doctor. Works when the connection does not. For a server with `runs`, `confirm` must equal it. */
  'run-doctor': InspectorCommand<ServerParams & { readonly confirm?: string }, { readonly runId: string }>
  /** Stops a run of the doctor. */
  'cancel-doctor': InspectorCommand<{ readonly runId: string }, Empty>
  /** Checks the quality of what a connected server offers. */
  'check-quality': InspectorCommand<ServerParams, QualityReport>

  /** Starts the OAuth debugger for a server, or for any URL. */
  'start-oauth': InspectorCommand<
    { readonly options: OAuthFlowOptions } & (ServerParams | { readonly url: string }),
    { readonly flowId: string }
  >
  /** Sends the next request of a paused flow. */
  'next-oauth': InspectorCommand<FlowParams, Empty>
  /** Continues a paused flow to its end. */
  'run-oauth': InspectorCommand<FlowParams, Empty>
  /** Stops a flow. */
  'cancel-oauth': InspectorCommand<FlowParams, Empty>
  /** Uses the refresh token, or requests more scopes (step-up). */
  'extend-oauth': InspectorCommand<
    FlowParams & { readonly action: 'refresh' | 'step-up'; readonly scopes?: readonly string[] },
    Empty
  >
  /** Revokes the tokens, if the server supports it, and forgets everything about the flow. */
  'revoke-oauth': InspectorCommand<FlowParams, { readonly revoked: boolean }>
  /** Forgets the flow and its tokens. */
  'clear-oauth': InspectorCommand<FlowParams, Empty>
  /** Uses the access token of a flow for the connections of its server. */
  'use-oauth-token': InspectorCommand<FlowParams & ServerParams, Empty>
  /** The flow as a text file, without secrets. */
  'export-oauth': InspectorCommand<FlowParams, ExportFile>

  /** Writes messages to a file from now on, redacted. Default path: a new file in the current directory. */
  'start-recording': InspectorCommand<
    { readonly path?: string; readonly serverIds?: readonly string[] },
    { readonly recordingId: string; readonly path: string }
  >
  /** Stops writing. */
  'stop-recording': InspectorCommand<{ readonly recordingId: string }, { readonly messages: number }>
  /** Opens a recording without its server: its messages appear in the timeline under a new, read-only server. */
  'import-recording': InspectorCommand<
    { readonly name: string; readonly text: string },
    { readonly recordingId: string; readonly serverId: string }
  >
  /** Sends the requests of a recording to a connected server and compares the responses. */
  'start-replay': InspectorCommand<ServerParams & { readonly recordingId: string }, { readonly runId: string }>
  /** Stops a replay. */
  'cancel-replay': InspectorCommand<{ readonly runId: string }, Empty>
  /** Serves a recording to a client, on loopback. Returns the URL to connect to. */
  'serve-recording': InspectorCommand<{ readonly recordingId: string; readonly serve: boolean }, { readonly url?: string }>
  /** Compares two sides. */
  diff: InspectorCommand<{ readonly left: DiffSource; readonly right: DiffSource }, DiffReport>

  /** A redacted file. Show it, or its `redactions`, before it is saved. */
  export: InspectorCommand<ExportScope & { readonly format: ExportFormat }, ExportFile>
  /** A request as text for another tool. Secrets are replaced by variables such as `$TOKEN`, which `note` names. */
  'copy-as': InspectorCommand<
    { readonly format: CopyFormat; readonly source: CopySource; readonly host?: string },
    { readonly text: string; readonly language: 'shell' | 'typescript' | 'json' | 'toml'; readonly note?: string }
  >

  /** Adds or replaces a saved call, in the file of saved calls. */
  'save-call': InspectorCommand<{ readonly call: Omit<SavedCall, 'id'> & { readonly id?: string } }, { readonly id: string }>
  /** Deletes a saved call. */
  'delete-call': InspectorCommand<{ readonly id: string }, Empty>
  /** Runs saved calls against a server and checks their assertions. Default: those that were saved for it; if there are none, all. */
  'run-calls': InspectorCommand<
    ServerParams & { readonly ids?: readonly string[] },
    { readonly outcomes: readonly SavedCallOutcome[] }
  >
  /** The saved calls as a file for `portcall replay`. */
  'export-calls': InspectorCommand<{ readonly ids?: readonly string[] }, ExportFile>
}

/** The types of a command. */
export interface InspectorCommand<Params, Result> {
  /** The params. */
  readonly params: Params
  /** The result. */
  readonly result: Result
}

/** No params, or an empty result. */
export type Empty = Readonly<Record<string, never>>

/** The server that a command concerns. */
export interface ServerParams {
  /** The id of the server. */
  readonly serverId: string
}

/** The flow of the OAuth debugger that a command concerns. */
export interface FlowParams {
  /** The id of the flow. */
  readonly flowId: string
}

/** The name of a command. */
export type CommandName = keyof InspectorCommands

/** The body of `POST api/command`. */
export type CommandRequest = {
  [Name in CommandName]: { readonly name: Name; readonly params: InspectorCommands[Name]['params'] }
}[CommandName]

/** The response to a command. Error codes: `UNKNOWN_COMMAND`, `INVALID_PARAMS`, `NOT_FOUND`, `NOT_CONNECTED`, `CONFIRMATION_REQUIRED`, `FAILED`. */
export type CommandResponse<Name extends CommandName = CommandName> =
  | { readonly ok: true; readonly result: InspectorCommands[Name]['result'] }
  | { readonly ok: false; readonly error: InspectorFailure }
