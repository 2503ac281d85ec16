/**
 * The differences between the five revisions of the protocol, as data. No other file knows them. Each revision is defined by its changes to
 * the previous one. `docs/reference/protocol-versions.md` is generated from this table.
 */

/** An object type whose fields differ between revisions. */
export type EntityType =
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

export type Fields = { readonly [E in EntityType]: readonly string[] }

/** The rules of sampling requests. */
export interface SamplingRules {
  readonly content: readonly string[]
  /** True if a message may contain several content blocks. */
  readonly multipleBlocks: boolean
  /** The rule for `includeContext`: assumed, or declared by a capability. */
  readonly context: 'assumed' | 'declared'
}

export interface ErrorRules {
  /** The error code for a resource that does not exist. */
  readonly resourceNotFound: number
  /** The response to invalid tool arguments: an error (-32602), or a tool result with `isError`. */
  readonly invalidArguments: 'error' | 'result'
  /** The error codes in addition to those of JSON-RPC. */
  readonly codes: readonly number[]
}

export interface HttpRules {
  readonly transport: 'HTTP+SSE' | 'Streamable HTTP'
  /** When requests carry `MCP-Protocol-Version`: never, after the handshake, or always. */
  readonly versionHeader: 'none' | 'session' | 'always'
  readonly sessions: boolean
  /** True if `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` repeat parts of the body. */
  readonly mirrorHeaders: boolean
  /** The status of the response to a POST with an unknown method. */
  readonly unknownMethod: 200 | 202 | 404
  /** The effect of a client that closes the stream of a pending response. */
  readonly disconnect: 'ends the session' | 'nothing' | 'cancels the request'
  /** True if a server may close a stream and let the client reconnect for the rest. */
  readonly polling: boolean
}

/** The rules of one revision. */
export interface Revision {
  readonly version: string
  /** `legacy`: a handshake, sessions, and requests in both directions. `modern`: stateless; every request carries its metadata. */
  readonly era: 'legacy' | 'modern'
  /** The requests of clients. */
  readonly requests: readonly string[]
  /** The requests of servers. In the modern era they are input requests inside `input_required` results. */
  readonly serverRequests: readonly string[]
  /** The notifications of servers. */
  readonly notifications: readonly string[]
  /** The keys of server capabilities. */
  readonly serverCapabilities: readonly string[]
  /** The keys of client capabilities. */
  readonly clientCapabilities: readonly string[]
  /** The types of content blocks in tool results and prompt messages. */
  readonly content: readonly string[]
  readonly fields: Fields
  readonly structuredContent: 'none' | 'object' | 'any'
  readonly sampling: SamplingRules
  readonly errors: ErrorRules
  /** True if completion requests contain the arguments that are already filled in. */
  readonly completionContext: boolean
  /** True if several messages may be sent as one JSON array. */
  readonly batches: boolean
  readonly http: HttpRules
}

const plus = (list: readonly string[], ...added: string[]): readonly string[] => [...list, ...added]
const minus = (list: readonly string[], ...removed: string[]): readonly string[] => list.filter((item) => !removed.includes(item))

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
  serverRequests: ['ping', 'roots/list', 'sampling/createMessage'],
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
  sampling: { content: ['text', 'image'], multipleBlocks: false, context: 'assumed' },
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
  serverRequests: plus(march2025.serverRequests, 'elicitation/create'),
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
  serverRequests: plus(june2025.serverRequests, 'tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'),
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
  sampling: { content: plus(june2025.sampling.content, 'tool_use', 'tool_result'), multipleBlocks: true, context: 'declared' },
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
  serverRequests: june2025.serverRequests.filter((method) => method !== 'ping'),
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

/** The versions of the modern era. */
export const MODERN_VERSIONS: readonly string[] = REVISIONS.filter(({ era }) => era === 'modern').map(({ version }) => version)

/** The version of requests of the modern era. */
export const MODERN_VERSION: string = MODERN_VERSIONS[0] ?? ''

/** The versions of the legacy era. */
export const LEGACY_VERSIONS: readonly string[] = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)

/** The newest revision of the legacy era. */
export const LATEST_LEGACY: Revision = november2025

const BY_VERSION: ReadonlyMap<string, Revision> = new Map(REVISIONS.map((revision) => [revision.version, revision]))

/** Returns the revision of a version, or `undefined` if there is none. */
export function revisionOf(version: string): Revision | undefined {
  return BY_VERSION.get(version)
}
