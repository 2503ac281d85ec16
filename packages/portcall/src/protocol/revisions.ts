/**
 * What the five revisions of the protocol allow, as data: the only place that knows. Each revision is written as what it adds to (or
 * takes from) the one before it. `docs/revisions.md` is generated from this table.
 */

/** A shape whose fields differ between revisions. */
export type Entity =
  | 'implementation'
  | 'tool'
  | 'resource'
  | 'template'
  | 'prompt'
  | 'promptArgument'
  | 'annotations'
  | 'block'
  | 'link'
  | 'contents'
  | 'result'
  | 'toolResult'
  | 'progress'
  | 'samplingRequest'
  | 'samplingMessage'
  | 'elicitForm'
  | 'elicitUrl'
  | 'formSchema'
  | 'stringField'
  | 'numberField'
  | 'booleanField'
  | 'choiceField'
  | 'choicesField'

export type Fields = { readonly [E in Entity]: readonly string[] }

/** How a server may ask the model of the client. */
export interface Sampling {
  readonly content: readonly string[]
  /** One message may hold several blocks. */
  readonly arrays: boolean
  /** Whether `includeContext` needs a capability of its own. */
  readonly context: 'assumed' | 'declared'
}

export interface ErrorFacts {
  /** The code for a resource that does not exist. */
  readonly resourceNotFound: number
  /** Arguments that do not fit a tool's input schema: an error (-32602), or a tool result with `isError`. */
  readonly invalidArguments: 'error' | 'result'
  /** The codes that this revision adds to those of JSON-RPC. */
  readonly codes: readonly number[]
}

export interface HttpFacts {
  readonly transport: 'HTTP+SSE' | 'Streamable HTTP'
  /** `MCP-Protocol-Version`: not known, after the handshake, or on every request. */
  readonly versionHeader: 'none' | 'session' | 'always'
  readonly sessions: boolean
  /** `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` mirror the body. */
  readonly mirrorHeaders: boolean
  /** The status of the answer to a POST with an unknown method. */
  readonly unknownMethod: 200 | 202 | 404
  /** What the end of the stream that waits for an answer does. */
  readonly disconnect: 'ends the session' | 'nothing' | 'cancels the request'
  /** A server may close a stream on its client, which comes back for the rest. */
  readonly polling: boolean
}

/** What one revision allows. */
export interface Revision {
  readonly version: string
  /** `legacy`: a handshake, sessions and requests both ways. `modern`: every request carries its own envelope. */
  readonly era: 'legacy' | 'modern'
  /** What a client may call. */
  readonly requests: readonly string[]
  /** What a server may ask: by requests of its own in the legacy era, inside `input_required` results in the modern one. */
  readonly asks: readonly string[]
  /** What a server may tell. */
  readonly notifications: readonly string[]
  /** The keys of the server's capabilities. */
  readonly serverCapabilities: readonly string[]
  /** The keys of the client's capabilities. */
  readonly clientCapabilities: readonly string[]
  /** The content blocks of tool results and prompt messages. */
  readonly content: readonly string[]
  readonly fields: Fields
  readonly structuredContent: 'none' | 'object' | 'any'
  readonly sampling: Sampling
  readonly errors: ErrorFacts
  /** A completion is told what is filled in already. */
  readonly completionContext: boolean
  /** Several messages may come as one JSON array. */
  readonly batches: boolean
  readonly http: HttpFacts
}

const plus = (list: readonly string[], ...more: string[]): readonly string[] => [...list, ...more]
const minus = (list: readonly string[], ...less: string[]): readonly string[] => list.filter((item) => !less.includes(item))

const november2024: Revision = {
  version: '2024-11-05',
  era: 'legacy',
  requests: [
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
  ],
  asks: ['ping', 'roots/list', 'sampling/createMessage'],
  notifications: [
    'notifications/cancelled',
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/prompts/list_changed',
  ],
  serverCapabilities: ['tools', 'resources', 'prompts', 'logging', 'experimental'],
  clientCapabilities: ['roots', 'sampling', 'experimental'],
  content: ['text', 'image', 'resource'],
  fields: {
    implementation: ['name', 'version'],
    tool: ['name', 'description', 'inputSchema'],
    resource: ['uri', 'name', 'description', 'mimeType', 'size', 'annotations'],
    template: ['uriTemplate', 'name', 'description', 'mimeType', 'annotations'],
    prompt: ['name', 'description', 'arguments'],
    promptArgument: ['name', 'description', 'required'],
    annotations: ['audience', 'priority'],
    block: ['type', 'annotations'],
    link: [],
    contents: ['uri', 'mimeType', 'text', 'blob'],
    result: ['_meta'],
    toolResult: ['content', 'isError', '_meta'],
    progress: ['progressToken', 'progress', 'total', '_meta'],
    samplingRequest: [
      'messages',
      'maxTokens',
      'systemPrompt',
      'modelPreferences',
      'includeContext',
      'temperature',
      'stopSequences',
      'metadata',
    ],
    samplingMessage: ['role', 'content'],
    elicitForm: [],
    elicitUrl: [],
    formSchema: [],
    stringField: [],
    numberField: [],
    booleanField: [],
    choiceField: [],
    choicesField: [],
  },
  structuredContent: 'none',
  sampling: { content: ['text', 'image'], arrays: false, context: 'assumed' },
  errors: { resourceNotFound: -32002, invalidArguments: 'error', codes: [-1, -32002] },
  completionContext: false,
  batches: false,
  http: {
    transport: 'HTTP+SSE',
    versionHeader: 'none',
    sessions: true,
    mirrorHeaders: false,
    unknownMethod: 202,
    disconnect: 'ends the session',
    polling: false,
  },
}

const march2025: Revision = {
  ...november2024,
  version: '2025-03-26',
  serverCapabilities: plus(november2024.serverCapabilities, 'completions'),
  content: plus(november2024.content, 'audio'),
  fields: {
    ...november2024.fields,
    tool: plus(november2024.fields.tool, 'annotations'),
    progress: plus(november2024.fields.progress, 'message'),
  },
  sampling: { ...november2024.sampling, content: plus(november2024.sampling.content, 'audio') },
  batches: true,
  http: { ...november2024.http, transport: 'Streamable HTTP', unknownMethod: 200, disconnect: 'nothing' },
}

const june2025: Revision = {
  ...march2025,
  version: '2025-06-18',
  asks: plus(march2025.asks, 'elicitation/create'),
  clientCapabilities: plus(march2025.clientCapabilities, 'elicitation'),
  content: plus(march2025.content, 'resource_link'),
  fields: {
    ...march2025.fields,
    implementation: plus(march2025.fields.implementation, 'title'),
    tool: plus(march2025.fields.tool, 'title', 'outputSchema', '_meta'),
    resource: plus(march2025.fields.resource, 'title', '_meta'),
    template: plus(march2025.fields.template, 'title', '_meta'),
    prompt: plus(march2025.fields.prompt, 'title', '_meta'),
    promptArgument: plus(march2025.fields.promptArgument, 'title'),
    annotations: plus(march2025.fields.annotations, 'lastModified'),
    block: plus(march2025.fields.block, '_meta'),
    link: plus(march2025.fields.resource, 'type', 'title', '_meta'),
    contents: plus(march2025.fields.contents, '_meta'),
    toolResult: plus(march2025.fields.toolResult, 'structuredContent'),
    elicitForm: ['message', 'requestedSchema'],
    formSchema: ['type', 'properties', 'required'],
    stringField: ['type', 'title', 'description', 'minLength', 'maxLength', 'format'],
    numberField: ['type', 'title', 'description', 'minimum', 'maximum'],
    booleanField: ['type', 'title', 'description', 'default'],
    choiceField: ['type', 'title', 'description', 'enum', 'enumNames'],
  },
  structuredContent: 'object',
  completionContext: true,
  batches: false,
  http: { ...march2025.http, versionHeader: 'session' },
}

const november2025: Revision = {
  ...june2025,
  version: '2025-11-25',
  requests: plus(june2025.requests, 'tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'),
  asks: plus(june2025.asks, 'tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'),
  notifications: plus(june2025.notifications, 'notifications/elicitation/complete', 'notifications/tasks/status'),
  serverCapabilities: plus(june2025.serverCapabilities, 'tasks'),
  clientCapabilities: plus(june2025.clientCapabilities, 'tasks'),
  http: { ...june2025.http, polling: true },
  fields: {
    ...june2025.fields,
    implementation: plus(june2025.fields.implementation, 'description', 'websiteUrl', 'icons'),
    tool: plus(june2025.fields.tool, 'icons', 'execution'),
    resource: plus(june2025.fields.resource, 'icons'),
    template: plus(june2025.fields.template, 'icons'),
    prompt: plus(june2025.fields.prompt, 'icons'),
    link: plus(june2025.fields.link, 'icons'),
    samplingRequest: plus(june2025.fields.samplingRequest, 'tools', 'toolChoice'),
    samplingMessage: plus(june2025.fields.samplingMessage, '_meta'),
    elicitForm: plus(june2025.fields.elicitForm, 'mode'),
    elicitUrl: ['mode', 'message', 'url', 'elicitationId'],
    formSchema: plus(june2025.fields.formSchema, '$schema'),
    stringField: plus(june2025.fields.stringField, 'default'),
    numberField: plus(june2025.fields.numberField, 'default'),
    choiceField: plus(june2025.fields.choiceField, 'oneOf', 'default'),
    choicesField: ['type', 'title', 'description', 'items', 'minItems', 'maxItems', 'default'],
  },
  sampling: { content: plus(june2025.sampling.content, 'tool_use', 'tool_result'), arrays: true, context: 'declared' },
  errors: { resourceNotFound: -32002, invalidArguments: 'result', codes: [...june2025.errors.codes, -32042] },
}

const july2026: Revision = {
  ...november2025,
  version: '2026-07-28',
  era: 'modern',
  requests: [
    'server/discover',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'subscriptions/listen',
  ],
  asks: june2025.asks.filter((method) => method !== 'ping'),
  notifications: plus(june2025.notifications, 'notifications/subscriptions/acknowledged'),
  serverCapabilities: plus(june2025.serverCapabilities, 'extensions'),
  clientCapabilities: plus(june2025.clientCapabilities, 'extensions'),
  fields: {
    ...november2025.fields,
    tool: minus(november2025.fields.tool, 'execution'),
    result: plus(november2025.fields.result, 'resultType', 'ttlMs', 'cacheScope'),
    toolResult: plus(november2025.fields.toolResult, 'resultType'),
    elicitUrl: minus(november2025.fields.elicitUrl, 'elicitationId'),
  },
  structuredContent: 'any',
  errors: { resourceNotFound: -32602, invalidArguments: 'result', codes: [-32020, -32021, -32022] },
  http: {
    transport: 'Streamable HTTP',
    versionHeader: 'always',
    sessions: false,
    mirrorHeaders: true,
    unknownMethod: 404,
    disconnect: 'cancels the request',
    polling: false,
  },
}

/** All revisions, oldest first. */
export const REVISIONS: readonly Revision[] = [november2024, march2025, june2025, november2025, july2026]

/** All versions, oldest first. */
export const SUPPORTED_VERSIONS: readonly string[] = REVISIONS.map((revision) => revision.version)

/** The versions of the stateless era. */
export const MODERN_VERSIONS: readonly string[] = REVISIONS.filter(({ era }) => era === 'modern').map(({ version }) => version)

/** The newest revision that begins with a handshake. */
export const LATEST_LEGACY: Revision = november2025

const BY_VERSION: ReadonlyMap<string, Revision> = new Map(REVISIONS.map((revision) => [revision.version, revision]))

/** Finds a revision by its version; `undefined` for versions that do not exist. */
export function revisionOf(version: string): Revision | undefined {
  return BY_VERSION.get(version)
}
